import { button, element } from '../dom.js'

/**
 * @typedef {object} Field
 * @property {string} label
 * @property {string} [value]
 * @property {string[]} [options] to choose from; without, a text is typed
 * @property {boolean} [long] a text of several lines
 * @property {boolean} [readOnly]
 * @property {(value: string, field: HTMLInputElement | HTMLTextAreaElement) => void} [typed]
 */

/**
 * Shows a dialog. Resolves to the field's value, `''` without a field, or `null` if it was cancelled.
 *
 * @param {object} parts
 * @param {string} parts.title
 * @param {string} [parts.text]
 * @param {Field} [parts.field]
 * @param {Element[]} [parts.more] other content
 * @param {boolean} [parts.onlyTells] there is nothing to decide
 * @param {boolean} [parts.focusesOk] Enter means OK, also without a field
 * @returns {Promise<string | null>}
 */
export function askUser ({ title, text = '', field, more = [], onlyTells = false, focusesOk = false }) {
  const control = field === undefined ? null : controlOf(field)
  const ok = element('button', { textContent: onlyTells ? 'Done' : 'OK', value: 'ok' })
  const cancel = button('Cancel', () => dialog.close('cancel')) // no submit button: Enter in the field means OK
  const dialog = element('dialog', { ariaLabel: title }, element(
    'form',
    { method: 'dialog' },
    element('h2', { textContent: title }),
    element('p', { textContent: text, hidden: text === '' }),
    ...control === null ? [] : [control.label],
    ...more,
    element('div', { className: 'dialog-buttons' }, ...onlyTells ? [] : [cancel], ok)
  ))
  document.body.append(dialog)
  dialog.showModal()
  control?.input.focus()
  if (focusesOk) ok.focus()
  if (control?.input instanceof HTMLInputElement) control.input.select()
  return new Promise(resolve => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      // The browser focuses the document while it is still inert, and then types nothing into it.
      const focused = document.activeElement
      if (focused instanceof HTMLElement && focused !== document.body) {
        focused.blur()
        focused.focus()
      }
      resolve(dialog.returnValue === 'ok' ? control?.input.value ?? '' : null)
    })
  })
}

/** @param {Field} field */
function controlOf ({ label, value = '', options, long = false, readOnly = false, typed }) {
  const input = options !== undefined
    ? element('select', {}, ...options.map(name => new Option(name, name)))
    : element(long ? 'textarea' : 'input')
  input.value = value
  if (!(input instanceof HTMLSelectElement)) {
    input.readOnly = readOnly
    input.autocomplete = 'off'
    if (typed !== undefined) input.addEventListener('input', () => typed(input.value, input))
  }
  return { label: element('label', {}, label, input), input }
}
