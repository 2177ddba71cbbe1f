import { find } from '../shared/page.js'
import { inPlaceOf } from './live.js'

/**
 * @typedef {object} Question
 * @property {string} [title]
 * @property {(form: HTMLFormElement) => void} [prepare] Fills in the fields.
 * @property {(fields: FormData) => Promise<void>} run Does it. If it rejects, the dialog stays and shows the message.
 */

/**
 * Opens a dialog of the page. When it closes, the focus returns to where it was.
 * @param {string} name
 * @param {Question} question
 */
export function ask (name, { title, prepare, run }) {
  const dialog = /** @type {HTMLDialogElement} */ (find(`[data-dialog="${name}"]`))
  const form = /** @type {HTMLFormElement} */ (find('form', dialog))
  const heading = find('h2', dialog)
  const problem = find('[data-problem]', dialog)
  const opener = /** @type {HTMLElement} */ (document.activeElement)
  form.reset()
  problem.textContent = ''
  heading.textContent = title ?? heading.dataset.title ?? ''
  prepare?.(form)

  form.onsubmit = async event => {
    event.preventDefault()
    const fields = new FormData(form, event.submitter)
    problem.textContent = ''
    setBusy(dialog, true)
    try {
      await run(fields)
      setBusy(dialog, false)
      dialog.close()
    } catch (error) {
      setBusy(dialog, false)
      problem.textContent = /** @type {Error} */ (error).message
      event.submitter?.focus()
    }
  }
  find('[data-cancel]', dialog).onclick = () => dialog.close()
  dialog.oncancel = event => {
    if (dialog.getAttribute('aria-busy') === 'true') event.preventDefault()
  }
  dialog.onclick = event => {
    if (event.target === dialog && dialog.getAttribute('aria-busy') !== 'true') dialog.close()
  }
  dialog.onclose = () => inPlaceOf(opener).focus()
  dialog.showModal()
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {boolean} isBusy
 */
function setBusy (dialog, isBusy) {
  dialog.setAttribute('aria-busy', String(isBusy))
  for (const button of dialog.querySelectorAll('button')) button.disabled = isBusy
}
