import { element } from '../dom.js'
import { emit } from '../embedding-page.js'
import { crash, getConfig } from '../session.js'
import { askUser } from './dialog.js'
/** @import { Feature } from './features.js' */

/** @typedef {{ user?: string, permissions?: string, isLink?: boolean }} Setting */

const EVENT = 'onRequestSharingSettings'
/** @type {Setting[]} */
let settings = []

/** The first button only asks the page, the second shows what it has answered. @type {Feature} */
export const sharing = {
  items: [
    { name: 'Sharing', event: EVENT, click: () => emit(EVENT) },
    { name: 'Access rights', event: EVENT, click: showRights }
  ],
  commands: { setSharingSettings }
}

/** @param {{ data: { sharingSettings?: Setting[] } | null }} detail */
function setSharingSettings ({ data }) {
  if (getConfig().document?.info === undefined) {
    return crash('setSharingSettings was called, but the configuration has no document.info.')
  }
  settings = data?.sharingSettings ?? []
}

function showRights () {
  const list = element('ul', { ariaLabel: 'Shared with' }, ...settings.map(({ user, permissions, isLink }) =>
    element('li', { textContent: `${user}: ${permissions}${isLink ? ' (link)' : ''}` })))
  askUser({ title: 'Access rights', more: [list], onlyTells: true })
}
