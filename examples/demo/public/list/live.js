// Others edit and upload as well: the list is requested regularly, and what has changed is replaced.
import { find } from '../shared/page.js'
import { showLocalTimes } from '../shared/times.js'
import { showMatches } from './search.js'
import { loadThumbnails } from './thumbnails.js'

const REFRESH_MS = 2000

/** @type {HTMLTableElement} */
const list = find('[data-documents]')
const offline = find('[data-offline]')
/** Rows and parts as the server sent them, before scripts changed anything. */
const sent = new Map(
  [...list.rows, ...document.querySelectorAll('[data-live]')].map(part => [keyOf(part), part.outerHTML])
)
let latest = 0

/** @param {Element} part */
function keyOf (part) {
  return part.id || `live-${part.getAttribute('data-live')}`
}

/** Shows what the server has now. */
export async function refresh () {
  const number = ++latest
  const response = await fetch(location.href, { cache: 'no-store' }).catch(() => null)
  showOffline(!response?.ok)
  if (!response?.ok) return
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const fresh = page.querySelector('[data-documents]')
  if (!fresh || number !== latest) return // a later request was answered, or asks for another order

  showRows(fresh)
  for (const part of page.querySelectorAll('[data-live]')) {
    if (sent.get(keyOf(part)) === part.outerHTML) continue
    const shown = find(`[data-live="${part.getAttribute('data-live')}"]`)
    const isOpen = shown.querySelector('details')?.open
    remember(part)
    shown.replaceChildren(...part.childNodes)
    const details = shown.querySelector('details')
    if (isOpen && details) details.open = true
    showLocalTimes(shown)
  }
  showMatches()
  loadThumbnails()
}

/**
 * Replaces the headings and the documents that have changed. The focus stays.
 * @param {Element} fresh
 */
function showRows (fresh) {
  const focused = /** @type {HTMLElement} */ (document.activeElement)
  const isInside = list.contains(focused)
  for (const [position, group] of [...fresh.children].entries()) {
    const shown = /** @type {Element} */ (list.children[position])
    const rows = [...group.children].map(row => unchanged(row) ?? replacement(row))
    if (rows.length === shown.children.length && rows.every((row, index) => row === shown.children[index])) continue
    shown.replaceChildren(...rows)
  }
  if (isInside && document.activeElement !== focused) inPlaceOf(focused).focus()
}

/** @param {boolean} isOffline */
function showOffline (isOffline) {
  const text = isOffline ? 'The server is not reachable. This page shows what was known last, and tries again.' : ''
  if (offline.textContent !== text) offline.textContent = text
}

/** @param {Element} row */
function unchanged (row) {
  const shown = document.getElementById(row.id)
  return shown && sent.get(row.id) === row.outerHTML ? shown : null
}

/** @param {Element} row */
function replacement (row) {
  const shown = document.getElementById(row.id)
  remember(row)
  showLocalTimes(row)
  // The image stays until there is another one.
  const image = shown?.querySelector('.preview img')
  if (image) row.querySelector('.preview')?.append(image)
  return row
}

/** @param {Element} part */
function remember (part) {
  sent.set(keyOf(part), part.outerHTML)
}

const OPERABLE = 'a, button, input'

/**
 * What is now where an element was before its row was replaced. If the row is gone, the list.
 * @param {HTMLElement} before
 */
export function inPlaceOf (before) {
  if (before.isConnected) return before
  const row = before.closest('tr')
  const position = [...row?.querySelectorAll(OPERABLE) ?? []].indexOf(before)
  const same = row && document.getElementById(row.id)?.querySelectorAll(OPERABLE)[position]
  return /** @type {HTMLElement} */ (same ?? list)
}

export function refreshRegularly () {
  loadThumbnails()
  setInterval(() => { if (!document.hidden) refresh() }, REFRESH_MS)
  document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh() })
}
