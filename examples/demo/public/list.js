// The list of documents.
import { openMenus } from './list/menu.js'
import { refresh, refreshRegularly } from './list/live.js'
import { searchDocuments } from './list/search.js'
import { acceptUploads } from './list/uploads.js'
import { offerNewDocument } from './list/new.js'
import { restoreDeleted } from './list/deleted.js'
import { send } from './shared/api.js'
import { remember } from './shared/cookies.js'
import { currentUser, find } from './shared/page.js'
import { showLocalTimes } from './shared/times.js'

const list = find('[data-documents]')
const sort = /** @type {HTMLSelectElement} */ (find('[data-sort]'))
const viewSwitch = find('[data-view-switch]')

if (currentUser() !== '') remember('user', currentUser())
showLocalTimes(document)
searchDocuments()
openMenus(list)
offerNewDocument()
acceptUploads()
restoreDeleted()
refreshRegularly()

sort.addEventListener('change', () => {
  remember('sort', sort.value)
  refresh()
})

viewSwitch.addEventListener('click', () => {
  const view = list.dataset.view === 'grid' ? 'list' : 'grid'
  list.dataset.view = view
  viewSwitch.setAttribute('aria-pressed', String(view === 'grid'))
  remember('view', view)
})

find('[data-live="messages"]').addEventListener('click', async event => {
  const message = /** @type {Element} */ (event.target).closest('[data-dismiss]')?.closest('[data-message]')
  if (!message) return
  await send('DELETE', `/messages/${message.getAttribute('data-message')}`).catch(() => {})
  await refresh()
  list.focus()
})
