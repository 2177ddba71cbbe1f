import { emit } from '../embedding-page.js'
import { showToast } from '../frame.js'
import { editing, getConfig, lastPlace, whenOpened } from '../session.js'
import { askUser } from './dialog.js'
/** @import { Feature } from './features.js' */

let isShown = false

/** @type {Feature} */
export const links = {
  items: [{
    menu: 'insert',
    name: 'Link to this place',
    event: 'onMakeActionLink',
    click: () => emit('onMakeActionLink', { action: { type: 'bookmark', data: lastPlace() ?? '' } })
  }],
  commands: {
    setActionLink: ({ data }) =>
      askUser({
        title: 'Link to this place',
        field: { label: 'Link', value: String(data), readOnly: true },
        onlyTells: true
      })
  }
}

whenOpened(() => {
  const { action } = getConfig().editorConfig?.actionLink ?? {}
  if (isShown || action?.data === undefined) return
  isShown = true
  if (action.type === 'comment') return showToast('The link leads to a comment. The emulated editor shows none.')
  const view = editing.view()
  if (view && 'reveal' in view) view.reveal(action.data)
  else showToast('The place that the link leads to is not in this document.')
})
