import { emit } from '../embedding-page.js'
import { content, showToast } from '../frame.js'
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
    click: () => emit('onMakeActionLink', { action: { type: 'bookmark', data: place ?? firstPlace() } })
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
  const target = content.querySelector(
    `[data-paragraph="${CSS.escape(action.data)}"], [data-fixed="${CSS.escape(action.data)}"]`
  )
  if (target === null) return showToast('The place that the link leads to is not in this document.')
  target.classList.add('linked')
  target.setAttribute('aria-current', 'location')
  target.scrollIntoView({ block: 'center' })
})

function firstPlace () {
  const first = content.querySelector('[data-paragraph], [data-fixed]')
  return first instanceof HTMLElement ? first.dataset.paragraph ?? first.dataset.fixed : ''
}
