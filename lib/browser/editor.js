// The module of an editor page: mounts the editor in every fragment that `control.render()` created.
import { loadApi } from './api-script.js'
import { messagesOf } from './messages.js'
import { noticeOf } from './notice.js'
import { followOpening } from './opening.js'
import { reportFailure } from './report.js'

/** @import { Config, DocEditor, DownloadAsEvent, FileType } from '@onlyoffice/doceditor-types' */
/** @import { Opening } from './opening.js' */
/** @typedef {NonNullable<DownloadAsEvent['data']>} DownloadedFile */
/** @typedef {{ data?: unknown } | undefined} EditorEvent */

/**
 * @typedef {object} MountedEditor
 * @property {DocEditor} docEditor
 * @property {string} handler Path of the handler.
 * @property {string} fileId The stored document, for the proxy action.
 * @property {string} proxyToken Credential for the proxy action.
 * @property {Array<(file: DownloadedFile) => void>} captures Calls of `captureDocument` that wait for `onDownloadAs`, oldest first.
 */

/** Informational events. Listening to any other adds a button or a menu entry to the editor, so the page has to request it. */
const EVENTS = ['onAppReady', 'onDocumentReady', 'onDocumentStateChange', 'onError', 'onWarning', 'onInfo', 'onMetaChange', 'onOutdatedVersion', 'onUserActionRequired']

/** @type {WeakMap<Element, MountedEditor>} */
const mounted = new WeakMap()
/** @type {WeakMap<Element, Promise<DocEditor | null>>} */
const mounting = new WeakMap()
/** @type {WeakMap<Element, Opening>} */
const openings = new WeakMap()

/**
 * Mounts the editor of a fragment. For fragments that are in the page when the module is loaded, the module does this itself.
 *
 * The editor's events are dispatched on the fragment as DOM events with the same names and their data as `detail`: the
 * informational ones, and those that are requested. The editor shows a close button, a rename field and so on only if the
 * page listens to `onRequestClose`, `onRequestRename` and so on. Request such an event with a handler in `events`, or by
 * name in the fragment's attribute `data-events` (separated by spaces). Both are read when the editor is mounted: for a
 * fragment that is in the page when the module is loaded, set the attribute before that.
 * @param {Element} fragment The element with the attribute `data-onlyoffice-editor`.
 * @param {Config['events']} [events] Handlers for the editor's events.
 * @returns {Promise<DocEditor | null>} `null` if the control has no document.
 */
export async function mountEditor (fragment, events = {}) {
  const known = mounting.get(fragment)
  if (known) return known
  const mount = mountNew(fragment, events)
  mounting.set(fragment, mount)
  try {
    return await mount
  } finally {
    if (!mounted.has(fragment) && mounting.get(fragment) === mount) mounting.delete(fragment)
  }
}

/**
 * @param {Element} fragment
 * @param {NonNullable<Config['events']>} events
 * @returns {Promise<DocEditor | null>}
 */
async function mountNew (fragment, events) {
  const element = /** @type {HTMLElement} */ (fragment)
  const { api, handler, fileId = '', proxyToken = '', events: asked = '', messages } = element.dataset
  const [data, placeholder] = element.children
  // Only a script element will do: sanitized HTML of a user may contain these attributes, but no script element.
  if (!(data instanceof HTMLScriptElement)) return null
  const config = JSON.parse(data.textContent ?? 'null')
  if (config === null || !placeholder || !api || !handler) return null

  // The editor fills its fragment, and would be a thin strip if no style sheet gives that a height.
  if (element.clientHeight === 0) element.style.height = '100vh'
  openings.get(element)?.stop()
  const opening = followOpening({
    notice: noticeOf(element),
    messages: messagesOf(messages),
    report: code => reportFailure({ handler, fileId, proxyToken }, code),
    isInPage: () => element.isConnected
  })
  openings.set(element, opening)
  /** @type {MountedEditor['captures']} */
  const captures = []
  const names = new Set([...EVENTS, ...asked.split(/\s+/).filter(Boolean), ...Object.keys(events)])
  try {
    await loadApi(api)
    if (opening.isOver()) return null // unmounted meanwhile
    const docEditor = new window.DocsAPI.DocEditor(placeholder.id, {
      ...config,
      events: {
        ...forwardedEvents(element, names, events),
        /** @param {DownloadAsEvent} event */
        onDownloadAs (event) {
          const capture = captures.shift()
          if (capture) capture(event.data ?? {})
          else forward(element, 'onDownloadAs', event, events.onDownloadAs)
        }
      }
    })
    opening.created()
    mounted.set(element, { docEditor, handler, fileId, proxyToken, captures })
    return docEditor
  } catch (error) {
    if (opening.isOver()) return null
    opening.unreachable(/** @type {Error} */ (error), () => mountOrTell(element, events))
    throw error
  }
}

/**
 * Fetches the document in the open editor, with unsaved changes, through the handler's proxy action. Rejects if no editor is
 * mounted, if the request fails, or with the reason of `signal`.
 * @param {object} [options]
 * @param {Element | null} [options.fragment] Default: the first fragment in the page with an editor.
 * @param {FileType} [options.fileType] Format, such as `pdf`. Default: the format of the document.
 * @param {AbortSignal} [options.signal] Default: aborts after 60 seconds.
 * @returns {Promise<Blob>}
 */
export async function captureDocument ({ fragment = firstMounted(), fileType, signal = AbortSignal.timeout(60_000) } = {}) {
  const editor = fragment && mounted.get(fragment)
  if (!editor) throw new Error('No editor is mounted: wait for mountEditor()')

  /** @type {Promise<DownloadedFile>} */
  const downloaded = new Promise((resolve, reject) => {
    editor.captures.push(resolve)
    signal.addEventListener('abort', () => {
      const position = editor.captures.indexOf(resolve)
      if (position >= 0) editor.captures.splice(position, 1)
      reject(signal.reason)
    })
  })
  signal.throwIfAborted()
  editor.docEditor.downloadAs(fileType)
  const { url } = await downloaded
  if (!url) throw new Error('The editor returned no URL for the document')
  const query = new URLSearchParams({ action: 'proxy', fileId: editor.fileId, url })
  const response = await fetch(`${editor.handler}?${query}`, { signal, headers: { 'x-editor-proxy-token': editor.proxyToken } })
  if (response.status === 401) throw new Error('The proxy token of this page has expired: reload the page')
  if (!response.ok) throw new Error(`The proxy action answered ${response.status}: ${await response.text()}`)
  return response.blob()
}

/** HTML of a user in the page may have the attribute, but never an editor. */
function firstMounted () {
  return Array.from(document.querySelectorAll('[data-onlyoffice-editor]')).find(fragment => mounted.has(fragment)) ?? null
}

/**
 * Closes the editor of a fragment, as if the user left the page.
 * @param {Element} fragment
 */
export function unmountEditor (fragment) {
  openings.get(fragment)?.end()
  const editor = mounted.get(fragment)
  mounted.delete(fragment)
  mounting.delete(fragment)
  editor?.docEditor.destroyEditor()
}

/**
 * @param {Element} fragment
 * @param {Iterable<string>} names
 * @param {NonNullable<Config['events']>} events
 */
function forwardedEvents (fragment, names, events) {
  const handlers = /** @type {Record<string, ((event: any) => void) | undefined>} */ (events)
  return Object.fromEntries(Array.from(names, name => [name, (/** @type {EditorEvent} */ event) => forward(fragment, name, event, handlers[name])]))
}

/**
 * @param {Element} fragment
 * @param {string} name
 * @param {EditorEvent} event
 * @param {((event: any) => void) | undefined} handler
 */
function forward (fragment, name, event, handler) {
  openings.get(fragment)?.event(name, event?.data)
  fragment.dispatchEvent(new CustomEvent(name, { detail: event?.data, bubbles: true }))
  handler?.(event)
}

/**
 * Mounts, and tells the page with the attribute `data-error` and the event `onError` if that fails.
 * @param {Element} fragment
 * @param {Config['events']} [events]
 */
function mountOrTell (fragment, events) {
  fragment.removeAttribute('data-error')
  mountEditor(fragment, events).catch(error => {
    fragment.setAttribute('data-error', error.message)
    fragment.dispatchEvent(new CustomEvent('onError', { detail: { errorCode: 0, errorDescription: error.message }, bubbles: true }))
    console.error(error)
  })
}

for (const fragment of document.querySelectorAll('[data-onlyoffice-editor]')) mountOrTell(fragment)
