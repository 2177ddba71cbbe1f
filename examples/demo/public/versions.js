// The page of a document's versions.
import { send } from './shared/api.js'
import { find } from './shared/page.js'
import { showLocalTimes } from './shared/times.js'

const list = find('[data-versions]')
const status = find('[data-status]')

showLocalTimes(document)
list.addEventListener('click', async event => {
  const button =
    /** @type {HTMLButtonElement | null} */ (/** @type {Element} */ (event.target).closest('[data-restore-version]'))
  if (!button) return
  const number = button.dataset.restoreVersion
  button.disabled = true
  status.textContent = `Restoring version ${number}…`
  try {
    await send('POST', `/documents/${list.dataset.versions}/versions/${number}/restore${location.search}`)
    location.reload()
  } catch (error) {
    status.textContent = /** @type {Error} */ (error).message
    button.disabled = false
  }
})
