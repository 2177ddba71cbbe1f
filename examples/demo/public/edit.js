// The page with an editor. The plugin's own module opens, saves and closes the document, and answers what the editor
// asks for.
import { saveFile } from './shared/api.js'
import { find } from './shared/page.js'

const fragment = find('[data-onlyoffice-editor]')
const title = find('h1')
const button = /** @type {HTMLButtonElement} */ (find('[data-download]'))
const status = find('[data-status]')

fragment.addEventListener('documentready', () => {
  button.disabled = false
  document.body.classList.add('ready')
})
fragment.addEventListener('metachange', event => {
  const { title: name } = /** @type {CustomEvent<{ title?: string } | undefined>} */ (event).detail ?? {}
  if (name) document.title = title.textContent = name
})

button.addEventListener('click', async () => {
  button.disabled = true
  status.textContent = 'Preparing the download…'
  try {
    const { captureDocument } = await editorModule()
    saveFile(await captureDocument({ fragment }), title.textContent ?? '')
    status.textContent = ''
  } catch (error) {
    status.textContent = `The download failed: ${/** @type {Error} */ (error).message}`
  }
  button.disabled = false
})

/**
 * The plugin's module that mounted the editor.
 * @returns {Promise<typeof import('../../../lib/browser/editor.js')>}
 */
function editorModule () {
  return import(`${fragment.dataset.handler}/assets/editor.js`)
}
