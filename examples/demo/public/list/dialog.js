import { find } from '../shared/page.js'
import { inPlaceOf } from './live.js'

/**
 * @typedef {object} Question
 * @property {string} [title]
 * @property {(form: HTMLFormElement) => void} [prepare] Fills in the fields.
 * @property {boolean} [isImmediate] Does it at once, without a question.
 * @property {(fields: FormData, signal: AbortSignal) => Promise<void>} run Does it, until the signal is aborted. If it
 *   rejects, the dialog stays and shows the message.
 */

/**
 * Opens a dialog of the page. When it closes, the focus returns to where it was.
 * @param {string} name
 * @param {Question} question
 */
export function ask (name, { title, prepare, isImmediate = false, run }) {
  const dialog = /** @type {HTMLDialogElement} */ (find(`[data-dialog="${name}"]`))
  const form = /** @type {HTMLFormElement} */ (find('form', dialog))
  const heading = find('h2', dialog)
  const problem = find('[data-problem]', dialog)
  const cancel = find('[data-cancel]', dialog)
  const described = dialog.querySelector('[aria-describedby]')
  const opener = /** @type {HTMLElement} */ (document.activeElement)
  let running = new AbortController()
  form.reset()
  heading.textContent = title ?? heading.dataset.title ?? ''
  show('')
  prepare?.(form)

  form.onsubmit = async event => {
    event.preventDefault()
    const { signal } = running = new AbortController()
    const fields = new FormData(form, event.submitter)
    show('')
    setBusy(dialog, true)
    try {
      await run(fields, signal)
      dialog.close()
    } catch (error) {
      if (signal.aborted) return
      setBusy(dialog, false)
      show(/** @type {Error} */ (error).message)
    }
  }
  cancel.onclick = () => dialog.close()
  dialog.oncancel = event => {
    if (cancel.matches(':disabled')) event.preventDefault()
  }
  dialog.onclick = event => {
    if (event.target === dialog && dialog.getAttribute('aria-busy') !== 'true') dialog.close()
  }
  dialog.onclose = () => {
    running.abort()
    setBusy(dialog, false)
    inPlaceOf(opener).focus()
  }
  dialog.showModal()
  if (isImmediate) form.requestSubmit()

  /** @param {string} text What the user typed stays. */
  function show (text) {
    problem.textContent = text
    described?.setAttribute('aria-invalid', String(text !== ''))
    const first = /** @type {HTMLElement | null} */ (described ?? dialog.querySelector('[type="submit"]:last-child'))
    if (text !== '') first?.focus()
  }
}

/**
 * Only what takes long can be cancelled meanwhile.
 * @param {HTMLDialogElement} dialog
 * @param {boolean} isBusy
 */
function setBusy (dialog, isBusy) {
  const progress = dialog.querySelector('progress')
  dialog.setAttribute('aria-busy', String(isBusy))
  for (const button of dialog.querySelectorAll('button')) {
    const staysUsable = progress !== null && button.matches('[data-cancel]')
    button.disabled = isBusy && !staysUsable
  }
  if (progress === null) return
  progress.hidden = !isBusy
  find('[data-working]', dialog).textContent = isBusy ? 'Converting…' : ''
}
