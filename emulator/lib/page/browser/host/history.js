import { button, element } from '../dom.js'
import { emit, isHandled } from '../embedding-page.js'
import { content, showChildren, showNote, showTitle, showToast, versionBar } from '../frame.js'
import { disconnect, editing, fail, whenAllSent, whenOpened } from '../session.js'
import { showFixed } from '../buttons.js'
import { loadText } from '../text/loading.js'
import { requestInfo } from './users.js'
import { fetchVersion } from './version-data.js'
/** @import { Feature } from './features.js' */
/** @import { ShownVersion, VersionData } from './version-data.js' */

/**
 * @typedef {{ version: number, key?: string, created?: string, user?: { id?: string, name?: string } | null,
 *   serverVersion?: string,
 *   changes?: Array<{ created?: string, user?: { id?: string, name?: string } }> | null }} HistoryEntry
 */

/** After this time the page is asked again. Source: docs/document-server-protocol.md#events-and-what-answers-them */
const DATA_LIFETIME_MS = 5 * 60_000
const BAD_TOKEN = -20

/** @type {Map<number, { data: VersionData, at: number }>} */ const received = new Map()
/** @type {HistoryEntry[]} */ let entries = []
let currentVersion = 0
/** @type {{ version: number, change: number | null } | null} */ let selected = null
/** Changes with what is to be shown: an answer that comes late is for something else. */ let turn = 0
/** What is displayed. Its version is the token's, whatever was selected. @type {ShownVersion | null} */ let shown =
  null

/** @type {Feature} */
export const history = {
  items: [{
    name: 'Version history',
    event: 'onRequestHistory',
    click: () => editing.isUnsent() ? whenAllSent(open) : open()
  }],
  commands: { refreshHistory, setHistoryData }
}

// A fresh configuration takes the place of the history.
whenOpened(() => {
  if (versionBar.hidden) return
  turn++
  document.body.classList.remove('in-history')
  versionBar.hidden = true
  content.setAttribute('aria-label', 'Document')
})

function open () {
  emit('onRequestHistory')
}

/**
 * Shows the versions. From now on the document is not edited any more.
 * @param {{ data: { error?: string, currentVersion?: number, history?: HistoryEntry[] } | null }} detail
 */
function refreshHistory ({ data }) {
  if (data?.error || !Array.isArray(data?.history)) {
    return showToast(data?.error || 'The application has no version history of this document.')
  }
  disconnect()
  showFixed(true)
  document.body.classList.add('in-history')
  entries = [...data.history].sort((a, b) => b.version - a.version)
  requestInfo(
    entries.flatMap(({ user, changes }) => [user, ...(changes ?? []).map(change => change.user)]).map(user =>
      user?.id ?? ''
    )
  )
  currentVersion = data.currentVersion ?? entries[0]?.version ?? 0
  received.clear()
  versionBar.hidden = false
  content.replaceChildren()
  content.tabIndex = 0
  content.setAttribute('aria-label', 'Version')
  if (entries.some(({ version }) => version === currentVersion)) select(currentVersion, null)
  else showList()
}

/** @param {number} version @param {number | null} change */
function select (version, change) {
  turn++
  selected = { version, change }
  showList()
  const known = received.get(version)
  if (known !== undefined && Date.now() - known.at < DATA_LIFETIME_MS) show(known.data, change)
  else request(version)
}

/** @param {number} version */
function request (version) {
  content.replaceChildren()
  content.setAttribute('aria-busy', 'true')
  emit('onRequestHistoryData', version)
}

/** @param {{ data: VersionData | null }} detail */
function setHistoryData ({ data }) {
  if (data?.error) {
    turn++
    content.replaceChildren()
    content.setAttribute('aria-busy', 'false')
    showNote(`Version ${data.version}: ${data.error}`)
    return
  }
  if (data === null) return fail(BAD_TOKEN, 'setHistoryData was called without data.')
  received.set(Number(data.version), { data, at: Date.now() })
  show(data, selected?.change ?? null)
}

/** @param {VersionData} data @param {number | null} change */
async function show (data, change) {
  content.setAttribute('aria-busy', 'true')
  const own = ++turn
  try {
    const [version, { documentOf, showDocument }] = await Promise.all([fetchVersion(data, change), loadText()])
    if (own !== turn) return
    shown = version
    showDocument(content, documentOf(version.doc))
    showNote(null)
    showTitle(`Version ${version.version}`)
    showList()
  } catch (error) {
    received.delete(Number(data.version))
    const { code = -1, message } = /** @type {Error & { code?: number }} */ (error)
    if (own === turn) content.replaceChildren()
    fail(code, message)
  } finally {
    if (own === turn) content.setAttribute('aria-busy', 'false')
  }
}

function restore () {
  if (selected === null) return
  const { version, change } = selected
  const data = received.get(version)?.data
  const fileType = shown?.fileType ?? data?.fileType
  emit(
    'onRequestRestore',
    change === null || shown?.url === undefined ? { version, fileType } : { version, fileType, url: shown.url }
  )
}

function showList () {
  showChildren(
    versionBar,
    element('h2', { textContent: 'Version history' }),
    element('ul', { ariaLabel: 'Versions' }, ...entries.map(item)),
    ...isHandled('onRequestHistoryClose') ? [button('Close history', () => emit('onRequestHistoryClose'))] : []
  )
}

/** @param {HistoryEntry} entry */
function item (entry) {
  const { version, user, created, changes } = entry
  const isSelected = selected?.version === version
  const line = (/** @type {string} */ name, /** @type {number | null} */ change, /** @type {unknown[]} */ about) =>
    element(
      'li',
      {},
      button(name, () => select(version, change), {
        className: 'version', ariaPressed: String(isSelected && selected?.change === change)
      }),
      element('span', { textContent: about.filter(Boolean).join(' · ') })
    )
  const shownItem = line(`Version ${version}`, null, [created, user?.name, version === currentVersion && 'current'])
  // Source: docs/document-server-protocol.md#events-and-what-answers-them
  if (Array.isArray(changes) && changes.length > 1 && entry.serverVersion === shown?.serverVersion) {
    shownItem.append(element('ul', { ariaLabel: `Changes in version ${version}` }, ...changes.map(
      ({ created, user }, index) => line(`Change ${index + 1} of version ${version}`, index, [created, user?.name])
    )))
  }
  const isCurrent = version === currentVersion && selected?.change === null
  if (isSelected && !isCurrent && isHandled('onRequestRestore')) {
    shownItem.append(button('Restore', restore, { className: '' }))
  }
  return shownItem
}
