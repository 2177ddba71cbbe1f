const fragment = /** @type {HTMLElement} */ (document.querySelector('[data-onlyoffice-editor]'))
const back = /** @type {HTMLAnchorElement} */ (document.querySelector('.back'))
const button = /** @type {HTMLButtonElement} */ (document.querySelector('[data-download]'))
const status = /** @type {HTMLElement} */ (document.querySelector('[data-status]'))

// The editor shows a close button if the page requests this event.
fragment.dataset.events = 'onRequestClose'
fragment.addEventListener('onRequestClose', close)
fragment.addEventListener('onDocumentReady', () => {
  button.disabled = false
  document.body.classList.add('ready')
})
fragment.addEventListener('onOutdatedVersion', () => { status.textContent = 'A newer version was saved: reload this page' })
fragment.addEventListener('onError', event => {
  if (!document.body.classList.contains('ready')) return // the fragment itself says that the document did not open
  const { errorDescription } = /** @type {CustomEvent<{ errorDescription?: string }>} */ (event).detail ?? {}
  status.textContent = errorDescription ?? 'The editor reported an error'
})

button.addEventListener('click', async () => {
  button.disabled = true
  status.textContent = 'Preparing the download…'
  try {
    const { captureDocument } = await editorModule()
    save(await captureDocument({ fragment }), button.dataset.download ?? '')
    status.textContent = ''
  } catch (error) {
    status.textContent = `The download failed: ${/** @type {Error} */ (error).message}`
  }
  button.disabled = false
})

/** Returns to the list after the editor has sent the last changes and is removed. */
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
 * The plugin's module that mounted the editor.
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
