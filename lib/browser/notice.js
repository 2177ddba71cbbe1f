// The notices of a fragment over or beside the editor: a status while the document is opening, an alert if it does not
// open, and later the outcomes of the user's actions.
import { BORDER, controls, LINE } from './colors.js'
import { element, styleSheet } from './page.js'

/**
 * @typedef {object} Content
 * @property {'cover' | 'bar'} place Over the whole editor, or a bar above its status bar that covers no dialogs.
 * @property {'status' | 'alert'} role
 * @property {string} title
 * @property {string} [advice]
 * @property {string} [details] For the operator.
 * @property {Button[]} [buttons]
 * @property {boolean} [isBusy]
 */

/** @typedef {{ label: string, run: () => void }} Button */
/** @typedef {ReturnType<typeof createNotice>} Notice */

/**
 * Assistive technology announces the text: of a `status` when there is time, of an `alert` at once.
 * @param {HTMLElement} fragment
 */
export function createNotice (fragment) {
  const notice = element('div', 'onlyoffice-notice', '', { tabIndex: -1, dir: 'auto' })

  function focus () {
    (notice.querySelector('button') ?? notice).focus()
  }

  return {
    /** For a notice that replaces the element with the focus. */
    focus,

    /** @param {Content} content */
    show ({ place, role, title, advice, details, buttons = [], isBusy = false }) {
      useStyle()
      const wasFocused = notice.contains(document.activeElement)
      const text = element('div', 'onlyoffice-notice-text')
      text.setAttribute('role', role)
      notice.className = `onlyoffice-notice onlyoffice-notice-${place}`
      notice.replaceChildren(...(isBusy ? [element('div', 'onlyoffice-notice-spinner')] : []), text)
      fragment.append(notice)
      // Added when the element is already in the page: assistive technology only announces its changes.
      text.append(
        ...[['title', title], ['advice', advice], ['details', details]].flatMap(([part, value]) =>
          value ? [element('p', `onlyoffice-notice-${part}`, value)] : []
        )
      )
      if (buttons.length > 0) notice.append(buttonsFor(buttons))
      if (wasFocused) focus()
      fragment.setAttribute('aria-busy', String(isBusy))
      setCovered(fragment, place === 'cover' && !isBusy)
    },

    hide () {
      const wasFocused = notice.contains(document.activeElement)
      notice.remove()
      fragment.removeAttribute('aria-busy')
      setCovered(fragment, false)
      if (wasFocused) fragment.querySelector('iframe')?.focus()
    }
  }
}

/**
 * Keeps the keyboard, too, from reaching an editor behind an alert.
 * @param {Element} fragment
 * @param {boolean} isCovered
 */
function setCovered (fragment, isCovered) {
  for (const frame of fragment.querySelectorAll('iframe')) frame.inert = isCovered
}

/** @param {Button[]} buttons */
function buttonsFor (buttons) {
  const group = element('div', 'onlyoffice-notice-buttons')
  group.append(...buttons.map(({ label, run }, index) => {
    const className = `onlyoffice-notice-button${index === 0 ? '' : ' onlyoffice-notice-button-secondary'}`
    return element('button', className, label, { type: 'button', onclick: () => run() })
  }))
  return group
}

/**
 * The page's own style sheets take precedence if they are more specific. Only elements after the script of a fragment
 * are placed over others: sanitized HTML of a user may contain these classes, but no script.
 */
const NOTICE = ':where([data-onlyoffice-editor] > script) ~ .onlyoffice-notice'
const useStyle = styleSheet(`
:where([data-onlyoffice-editor]) { position: relative }
${NOTICE} {
  position: absolute; z-index: 1; box-sizing: border-box; overflow: auto;
  background: Canvas; color: CanvasText; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
${NOTICE}:focus { outline: none }
${NOTICE}-cover {
  inset: 0; display: flex; flex-direction: column; align-items: center; padding: 1.5rem; text-align: center;
}
${NOTICE}-cover::before, ${NOTICE}-cover::after { content: ""; flex: 1 }
${NOTICE}-bar {
  bottom: 2.75rem; left: 50%; display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.25rem;
  width: max-content; max-width: min(44rem, 100% - 1.5rem); max-height: calc(100% - 3.5rem); padding: .625rem 1rem;
  transform: translateX(-50%); border: 1px solid ${BORDER}; border-radius: .5rem;
  box-shadow: 0 .25rem 1rem rgb(0 0 0 / .2); font-size: 14px;
}
${NOTICE} p { max-width: 34rem; margin: 0; padding: 0; color: inherit; font: inherit }
${NOTICE}-cover p { margin: 0 auto; text-wrap: balance }
${NOTICE}-bar .onlyoffice-notice-text { flex: 1 1 16rem }
${NOTICE}-cover .onlyoffice-notice-title:not(:last-child) {
  margin-bottom: .25rem; font-size: 1.25rem; font-weight: 600; line-height: 1.3
}
${NOTICE} .onlyoffice-notice-details { margin-top: .75rem; opacity: .75; font-size: .875rem }
${NOTICE}-bar .onlyoffice-notice-details { margin-top: 0 }
${controls(NOTICE, 'onlyoffice-notice-button')}
${NOTICE} .onlyoffice-notice-buttons { display: flex; flex-wrap: wrap; gap: .5rem; flex: none; max-width: 100% }
${NOTICE}-cover .onlyoffice-notice-buttons { margin-top: 1.25rem; justify-content: center }
:where(${NOTICE}) > .onlyoffice-notice-spinner {
  flex: none; width: 1.75rem; height: 1.75rem; margin-bottom: .75rem; box-sizing: border-box;
  border: 3px solid color-mix(in srgb, CanvasText 20%, Canvas); border-top-color: ${LINE}; border-radius: 50%;
  animation: onlyoffice-notice-turn 1s linear infinite;
}
@keyframes onlyoffice-notice-turn { to { transform: rotate(1turn) } }
@media (prefers-reduced-motion: reduce) { :where(${NOTICE}) > .onlyoffice-notice-spinner { animation: none } }
`)
