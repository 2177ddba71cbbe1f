/**
 * @typedef {object} Field
 * @property {string} label
 * @property {string} [value]
 * @property {string[]} [options] to choose from; without, a text is typed
 * @property {boolean} [long] a text of several lines
 * @property {boolean} [readOnly]
 * @property {(value: string, field: HTMLInputElement | HTMLTextAreaElement) => void} [typed]
 */

let count = 0

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
 * @param {AbortSignal} [parts.signal] closes the dialog
 * @returns {Promise<string | null>}
 */
export function askUser ({ title, text = '', field, more = [], onlyTells = false, focusesOk = false, signal }) {
  const dialog = document.createElement('dialog')
  const heading = document.createElement('h2')
  heading.id = `dialog-${++count}`
  heading.textContent = title
  dialog.setAttribute('aria-labelledby', heading.id)
  const form = document.createElement('form')
  form.method = 'dialog'
  const paragraph = document.createElement('p')
  paragraph.textContent = text
  paragraph.hidden = text === ''
  const control = field === undefined ? null : controlOf(field)
  const buttons = document.createElement('div')
  buttons.className = 'dialog-buttons'
  if (!onlyTells) buttons.append(button('Cancel', 'cancel'))
  buttons.append(button(onlyTells ? 'Done' : 'OK', 'ok'))
  form.append(heading, paragraph, ...control === null ? [] : [control.label], ...more, buttons)
  dialog.append(form)
  document.body.append(dialog)
  signal?.addEventListener('abort', () => dialog.close('ok'))
  dialog.showModal()
  control?.input.focus()
  if (focusesOk) /** @type {HTMLButtonElement} */ (buttons.lastElementChild).focus()
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
  const box = document.createElement('label')
  box.append(label)
  const input = options !== undefined ? chooser(options) : document.createElement(long ? 'textarea' : 'input')
  input.value = value
  if (!(input instanceof HTMLSelectElement)) {
    input.readOnly = readOnly
    input.autocomplete = 'off'
    if (typed !== undefined) input.addEventListener('input', () => typed(input.value, input))
  }
  box.append(input)
  return { label: box, input }
}

/** @param {string[]} options */
function chooser (options) {
  const select = document.createElement('select')
  select.append(...options.map(name => new Option(name, name)))
  return select
}

/** @param {string} name @param {string} value */
function button (name, value) {
  const element = document.createElement('button')
  element.textContent = name
  element.value = value
  if (value === 'cancel') {
    element.type = 'button' // Enter in the field means OK
    element.className = 'quiet'
    element.addEventListener('click', () => element.closest('dialog')?.close('cancel'))
  }
  return element
}
