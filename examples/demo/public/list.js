// The list of documents.
import { purge, restore } from './list/actions.js'
import { ask } from './list/dialog.js'
import { openMenus } from './list/menu.js'
import { refresh, refreshRegularly } from './list/live.js'
import { searchDocuments } from './list/search.js'
import { selectDocuments } from './list/selection.js'
import { loadThumbnails } from './list/thumbnails.js'
import { acceptUploads } from './list/uploads.js'
import { send } from './shared/api.js'
import { remember } from './shared/cookies.js'
import { currentUser, find } from './shared/page.js'
import { showLocalTimes } from './shared/times.js'

const list = find('[data-documents]')
const viewSwitch = find('[data-view-switch]')

showLocalTimes(document)
searchDocuments()
openMenus(list)
selectDocuments()
acceptUploads()
refreshRegularly()

find('[data-new]').addEventListener('click', () => {
  ask('new', {
    async run (fields) {
      const made = await (await send('POST', '/documents/new', Object.fromEntries(fields))).json()
      location.assign(`/edit/${made.id}?${new URLSearchParams({ user: currentUser() })}`)
    }
  })
})

list.addEventListener('click', event => {
  const heading = /** @type {Element} */ (event.target).closest('[data-sort]')
  if (!heading) return
  remember('sort', heading.getAttribute('data-sort'))
  refresh()
})

viewSwitch.addEventListener('click', () => {
  const view = list.dataset.view === 'grid' ? 'list' : 'grid'
  list.dataset.view = view
  viewSwitch.setAttribute('aria-pressed', String(view === 'grid'))
  remember('view', view)
  loadThumbnails()
})

find('[data-live="messages"]').addEventListener('click', async event => {
  const message = /** @type {Element} */ (event.target).closest('[data-dismiss]')?.closest('[data-message]')
  if (!message) return
  await send('DELETE', `/messages/${message.getAttribute('data-message')}`).catch(() => {})
  await refresh()
  list.focus()
})

find('[data-live="deleted"]').addEventListener('click', event => {
  const button = /** @type {Element} */ (event.target).closest('button')
  const { id = '', name = '' } = button?.closest('li')?.dataset ?? {}
  if (button?.matches('[data-restore]')) restore([{ id, name }])
  if (button?.matches('[data-purge]')) purge(id, name)
})
