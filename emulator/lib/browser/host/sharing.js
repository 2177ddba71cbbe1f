import { emit } from '../embedding-page.js'
import { crash, getConfig } from '../session.js'
import { askUser } from './dialog.js'
/** @import { Feature } from './features.js' */

/** @type {Feature} */
export const sharing = {
  buttons: [{ name: 'Sharing', event: 'onRequestSharingSettings', click: () => emit('onRequestSharingSettings') }],
  commands: { setSharingSettings }
}

/** @param {{ data: { sharingSettings?: Array<{ user?: string, permissions?: string, isLink?: boolean }> } | null }} detail */
function setSharingSettings ({ data }) {
  if (getConfig().document?.info === undefined) return crash('setSharingSettings was called, but the configuration has no document.info.')
  const list = document.createElement('ul')
  list.setAttribute('aria-label', 'Shared with')
  list.append(...(data?.sharingSettings ?? []).map(({ user, permissions, isLink }) => {
    const item = document.createElement('li')
    item.textContent = `${user}: ${permissions}${isLink ? ' (link)' : ''}`
    return item
  }))
  askUser({ title: 'Sharing settings', more: [list], onlyTells: true })
}
