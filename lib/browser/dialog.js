// A dialog over the page, for as long as the editor is there.
import { element, styleSheet } from './elements.js'

/**
 * @param {HTMLElement} fragment
 * @param {{ title: string, parts: HTMLElement[], list: HTMLElement, close: string }} content `list`: one of the parts, which the title
 *   describes. `close`: text of the button that closes it.
 * @returns {{ dialog: HTMLDialogElement, closed: Promise<void> }} The dialog is shown, and in the page until it is closed.
 */
export function openDialog (fragment, { title, parts, list, close }) {
  useStyle()
  const heading = element('h2', 'onlyoffice-dialog-title', title)
  const button = element('button', 'onlyoffice-dialog-close', close)
  const dialog = element('dialog', 'onlyoffice-dialog')
  heading.id = `onlyoffice-dialog-${Math.random().toString(36).slice(2)}`
  dialog.setAttribute('aria-labelledby', heading.id)
  list.setAttribute('aria-labelledby', heading.id)
  button.type = 'button'
  dialog.append(heading, ...parts, button)
  const focused = document.activeElement
  /** @type {Promise<void>} */
  const closed = new Promise(resolve => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      if (focused instanceof HTMLElement) focused.focus() // browsers do not give it back to a frame
      resolve()
    })
  })
  button.addEventListener('click', () => dialog.close())
  fragment.append(dialog)
  dialog.showModal()
  return { dialog, closed }
}

/** As with a notice, only what follows the script of a fragment gets this style. System colors follow the page's color scheme. */
export const DIALOG = ':where([data-onlyoffice-editor] > script) ~ .onlyoffice-dialog'
const BORDER = 'color-mix(in srgb, CanvasText 35%, Canvas)'
const useStyle = styleSheet(`
${DIALOG}[open] {
  box-sizing: border-box; display: flex; flex-direction: column; gap: .75rem; width: min(34rem, 100% - 2rem); max-height: min(40rem, 100% - 2rem);
  padding: 1.25rem; border: 1px solid ${BORDER}; border-radius: .625rem; background: Canvas; color: CanvasText;
  box-shadow: 0 .5rem 2rem rgb(0 0 0 / .3); font: 15px/1.4 system-ui, sans-serif; overflow-wrap: anywhere;
}
${DIALOG}::backdrop { background: rgb(0 0 0 / .45) }
${DIALOG} .onlyoffice-dialog-title { margin: 0; font-size: 1.125rem; font-weight: 600; line-height: 1.3 }
${DIALOG} .onlyoffice-dialog-status { margin: 0 }
${DIALOG} .onlyoffice-dialog-status:empty { display: none }
${DIALOG} .onlyoffice-dialog-list { flex: 1 1 auto; margin: 0; padding: 2px; overflow: auto; list-style: none }
${DIALOG} .onlyoffice-dialog-close {
  align-self: flex-end; padding: .5rem 1.125rem; border: 1px solid ${BORDER}; border-radius: .375rem;
  background: Canvas; color: CanvasText; font: inherit; font-weight: 600; cursor: pointer;
}
${DIALOG} .onlyoffice-dialog-close:hover { background: color-mix(in srgb, CanvasText 10%, Canvas) }
${DIALOG} :focus-visible { outline: 2px solid color-mix(in srgb, #2f5fb3 65%, CanvasText); outline-offset: 0 }
`)
