// The page with an editor. The plugin's own module opens, saves and closes the document, and answers what the editor
// asks for.
import { find } from './shared/page.js'

find('[data-onlyoffice-editor]').addEventListener('metachange', event => {
  const { title } = /** @type {CustomEvent<{ title?: string } | undefined>} */ (event).detail ?? {}
  if (title) document.title = find('h1').textContent = title
})
