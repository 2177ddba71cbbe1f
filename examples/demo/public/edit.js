const fragment = /** @type {HTMLElement} */ (document.querySelector('[data-onlyoffice-editor]'))
const back = /** @type {HTMLAnchorElement} */ (document.querySelector('.back'))
const button = /** @type {HTMLButtonElement} */ (document.querySelector('[data-download]'))
const status = /** @type {HTMLElement} */ (document.querySelector('[data-status]'))

// The editor has a close button for a page that asks for this event.
fragment.dataset.events = 'onRequestClose'
fragment.addEventListener('onRequestClose', close)
fragment.addEventListener('onDocumentReady', () => {
  button.disabled = false
  document.body.classList.add('ready')
})
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

/** Back to the list, when the editor has sent what was typed last and is gone. */
async function close () {
  status.textContent = 'Closing…'
  const { unmountEditor } = await editorModule()
  unmountEditor(fragment)
  await frameGone()
  location.assign(back.href)
}

/** @returns {Promise<void>} */
function frameGone () {
  return new Promise(resolve => {
    const observer = new MutationObserver(check)
    observer.observe(fragment, { childList: true, subtree: true })
    check()

    function check () {
      if (fragment.querySelector('iframe') !== null) return
      observer.disconnect()
      resolve()
    }
  })
}

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
