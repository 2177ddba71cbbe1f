import { element } from './dom.js'
/** @import { FieldOperation, FormContent, FormField } from './protocol.js' */

/**
 * Shows the fields of a PDF form in a list, with a button that submits it.
 *
 * @param {HTMLElement} container
 * @param {FormContent} content
 * @param {object} options
 * @param {(operation: FieldOperation) => void} options.fill
 * @param {(() => Promise<void>) | null} options.submit `null`: there is no button
 */
export function formView (container, { fields }, { fill, submit }) {
  /** @type {Map<string, (value: string | boolean) => void>} */
  const setters = new Map()
  const form = element('form', { className: 'paper form' })
  const set = element('fieldset', {}, ...fields.map(field => {
    const { input, value } = inputOf(field)
    setters.set(field.key, value)
    input.addEventListener('change', ({ target }) => {
      const { checked, value } = /** @type {HTMLInputElement} */ (target)
      fill({ op: 'field', field: field.key, value: field.type === 'checkBox' ? checked : value })
    })
    return field.type === 'radio' ? input : element('label', {}, element('span', { textContent: field.label }), input)
  }))
  form.append(set)
  if (submit) set.append(element('button', { textContent: 'Complete & Submit' }))
  form.addEventListener('submit', event => {
    event.preventDefault()
    submit?.()
  })
  container.replaceChildren(form)
  return {
    /** @param {FieldOperation} operation */
    apply: ({ field, value }) => setters.get(field)?.(value),
    /** Without a connection nothing can be filled in. */
    cut: () => { set.disabled = true }
  }
}

/**
 * @param {FormField} field
 * @returns {{ input: HTMLElement, value: (value: any) => void }}
 */
function inputOf ({ key, label, type, value, options = [], multiline }) {
  if (type === 'radio') {
    const buttons = options.map(option => element('input', { type: 'radio', name: key, value: option, checked: value === option }))
    const labels = buttons.map(button => element('label', {}, button, element('span', { textContent: button.value })))
    return {
      input: element('fieldset', {}, element('legend', { textContent: label }), ...labels),
      value: chosen => { for (const button of buttons) button.checked = button.value === chosen }
    }
  }
  if (type === 'checkBox') {
    const input = element('input', { type: 'checkbox', checked: value === true })
    return { input, value: checked => { input.checked = checked } }
  }
  const input = type === 'comboBox'
    ? element('select', {}, ...['', ...options].map(option => element('option', { textContent: option, value: option })))
    : multiline ? element('textarea', { rows: 4 }) : element('input', { type: 'text' })
  input.value = String(value)
  return { input, value: text => { input.value = text } }
}
