const fragment = /** @type {HTMLElement} */ (document.querySelector('[data-onlyoffice-editor]'))
const button = /** @type {HTMLButtonElement} */ (document.querySelector('[data-download]'))
const status = /** @type {HTMLElement} */ (document.querySelector('[data-status]'))

fragment.addEventListener('onDocumentReady', () => { button.disabled = false })
fragment.addEventListener('onOutdatedVersion', () => { status.textContent = 'A newer version was saved: reload this page' })
fragment.addEventListener('onError', event => {
  const { errorDescription } = /** @type {CustomEvent<{ errorDescription?: string }>} */ (event).detail ?? {}
  status.textContent = errorDescription ?? 'The editor reports an error'
})

button.addEventListener('click', async () => {
  button.disabled = true
  status.textContent = 'Asking the editor…'
  try {
    const { captureDocument } = await editorModule()
    save(await captureDocument({ fragment }), button.dataset.download ?? '')
    status.textContent = ''
  } catch (error) {
    status.textContent = `No download: ${/** @type {Error} */ (error).message}`
  }
  button.disabled = false
})

/**
 * The plugin's own module, the one that has mounted the editor.
 * @returns {Promise<typeof import('../../../lib/browser/editor.js')>}
 */
function editorModule () {
  return import(`${fragment.dataset.handler}/assets/editor.js`)
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function save (blob, name) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
