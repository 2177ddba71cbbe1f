// The page's module: mounts the editor in every fragment that `control.render()` made.

/** @import { Config, DocEditor, DownloadAsEvent, FileType } from '@onlyoffice/doceditor-types' */
/** @typedef {NonNullable<DownloadAsEvent['data']>} DownloadedFile */
/** @typedef {{ data?: unknown } | undefined} EditorEvent */

/**
 * @typedef {object} MountedEditor
 * @property {DocEditor} docEditor
 * @property {string} handler Path of the handler.
 * @property {string} fileId Of the stored document, for the proxy action.
 * @property {string} proxyToken What the proxy action wants of this page.
 * @property {Array<(file: DownloadedFile) => void>} captures Who waits for the next `onDownloadAs`.
 */

/** Events that only tell. To listen to one of the others adds a button or a menu entry to the editor: the host asks for them. */
const EVENTS = ['onAppReady', 'onDocumentReady', 'onDocumentStateChange', 'onError', 'onWarning', 'onInfo', 'onMetaChange', 'onOutdatedVersion']

/** @type {WeakMap<Element, MountedEditor>} */
const mounted = new WeakMap()
/** @type {WeakMap<Element, Promise<DocEditor | null>>} */
const mounting = new WeakMap()
/** @type {Map<string, Promise<void>>} */
const apiScripts = new Map()

/**
 * Mounts the editor of one fragment; the module does it by itself for those in the page when it is loaded.
 * The editor's events are dispatched on the fragment under their own names, their data as `detail`: those that only tell,
 * and those asked for. The editor shows a close button, a rename field and the like only to a host that listens to
 * `onRequestClose`, `onRequestRename` and the like, so these are asked for by name: as a handler in `events`, or in the
 * fragment's attribute `data-events`, names with spaces between them. Both count when the editor is mounted, not later: for
 * a fragment that was in the page when the module was loaded, set the attribute before.
 * @param {Element} fragment The element with the attribute `data-onlyoffice-editor`.
 * @param {Config['events']} [events] Handlers of the editor's events.
 * @returns {Promise<DocEditor | null>} `null` when the control had no document.
 */
export async function mountEditor (fragment, events = {}) {
  const known = mounting.get(fragment)
  if (known) return known
  const mount = mountNew(fragment, events)
  mounting.set(fragment, mount)
  try {
    return await mount
  } finally {
    if (!mounted.has(fragment)) mounting.delete(fragment)
  }
}

/**
 * @param {Element} fragment
 * @param {NonNullable<Config['events']>} events
 * @returns {Promise<DocEditor | null>}
 */
async function mountNew (fragment, events) {
  const { api, handler, fileId = '', proxyToken = '', events: asked = '' } = /** @type {HTMLElement} */ (fragment).dataset
  const [data, placeholder] = fragment.children
  // A script element and nothing else: text of a user that went through a sanitizer may have attributes, but no script.
  if (!(data instanceof HTMLScriptElement)) return null
  const config = JSON.parse(data.textContent ?? 'null')
  if (config === null || !placeholder || !api || !handler) return null

  await loadApi(api)
  // The editor fills its fragment. One that the page's style sheet gave no height would be a thin strip.
  if (fragment.clientHeight === 0) /** @type {HTMLElement} */ (fragment).style.height = '100vh'
  /** @type {MountedEditor['captures']} */
  const captures = []
  const names = new Set([...EVENTS, ...asked.split(/\s+/).filter(Boolean), ...Object.keys(events)])
  const docEditor = new window.DocsAPI.DocEditor(placeholder.id, {
    ...config,
    events: {
      ...forwardedEvents(fragment, names, events),
      /** @param {DownloadAsEvent} event */
      onDownloadAs (event) {
        const capture = captures.shift()
        if (capture) capture(event.data ?? {})
        else forward(fragment, 'onDownloadAs', event, events.onDownloadAs)
      }
    }
  })
  mounted.set(fragment, { docEditor, handler, fileId, proxyToken, captures })
  return docEditor
}

/**
 * The document as it is in the open editor, unsaved changes included, fetched through the handler's proxy action.
 * @param {object} [options]
 * @param {Element | null} [options.fragment] Default: the first fragment in the page.
 * @param {FileType} [options.fileType] Format, such as `pdf`. Default: the document's own.
 * @param {AbortSignal} [options.signal] Default: 60 seconds.
 * @returns {Promise<Blob>}
 */
export async function captureDocument ({ fragment = document.querySelector('[data-onlyoffice-editor]'), fileType, signal = AbortSignal.timeout(60_000) } = {}) {
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
  if (!url) throw new Error('The editor gave no address for the document')
  const query = new URLSearchParams({ action: 'proxy', fileId: editor.fileId, url })
  const response = await fetch(`${editor.handler}?${query}`, { signal, headers: { 'x-editor-proxy-token': editor.proxyToken } })
  if (response.status === 401) throw new Error('The proxy action does not know this page: reload it')
  if (!response.ok) throw new Error(`The proxy action answered ${response.status}: ${await response.text()}`)
  return response.blob()
}

/**
 * Closes the editor of a fragment, as leaving the page does.
 * @param {Element} fragment
 */
export function unmountEditor (fragment) {
  mounted.get(fragment)?.docEditor.destroyEditor()
  mounted.delete(fragment)
  mounting.delete(fragment)
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
  fragment.dispatchEvent(new CustomEvent(name, { detail: event?.data, bubbles: true }))
  handler?.(event)
}

/**
 * @param {string} url
 * @returns {Promise<void>}
 */
function loadApi (url) {
  const loading = apiScripts.get(url) ?? new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = url
    script.onload = () => resolve()
    script.onerror = () => reject(new Error(`The document server's script could not be loaded from ${url}`))
    document.head.append(script)
  })
  apiScripts.set(url, loading)
  return loading
}

for (const fragment of document.querySelectorAll('[data-onlyoffice-editor]')) {
  mountEditor(fragment).catch(error => {
    fragment.setAttribute('data-error', error.message)
    fragment.dispatchEvent(new CustomEvent('onError', { detail: { errorCode: 0, errorDescription: error.message }, bubbles: true }))
    console.error(error)
  })
}
