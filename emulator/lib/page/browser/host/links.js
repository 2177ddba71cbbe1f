import { emit } from '../embedding-page.js'
import { showToast } from '../frame.js'
import { editing, getConfig, whenOpened } from '../session.js'
import { askUser } from './dialog.js'
/** @import { Feature } from './features.js' */

/** Where the caret was before the button took the focus. @type {string | null} */
let place = null
let isShown = false

/** @type {Feature} */
export const links = {
  buttons: [{
    name: 'Link to this place',
    event: 'onMakeActionLink',
    prepare: button => button.addEventListener('pointerdown', () => { place = editing.view()?.place() ?? place }),
    click: () => emit('onMakeActionLink', { action: { type: 'bookmark', data: place ?? '' } })
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
