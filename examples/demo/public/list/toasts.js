import { button, element, find } from '../shared/page.js'

const SHOWN_MS = 8000

const toasts = find('[data-toasts]')
const status = find('[data-status]')

/**
 * Tells the user what was done.
 * @param {string} text
 * @param {{ kind?: 'done' | 'failed', action?: { label: string, run: () => void } }} [options] A failure stays until it
 *   is closed.
 */
export function tell (text, { kind = 'done', action } = {}) {
  status.textContent = text
  const toast = element('div', `toast ${kind}`)
  toast.append(element('p', '', text))
  if (action) {
    toast.append(button('action', action.label, () => {
      toast.remove()
      action.run()
    }))
  }
  if (kind === 'failed') toast.append(button('action', 'Close', () => toast.remove()))
  toasts.append(toast)
  if (kind === 'done') removeLater(toast)
  return toast
}

/**
 * Not while somebody points at it or is about to press its button.
 * @param {HTMLElement} toast
 */
function removeLater (toast) {
  setTimeout(() => {
    if (toast.matches(':hover, :focus-within')) removeLater(toast)
    else toast.remove()
  }, SHOWN_MS)
}
