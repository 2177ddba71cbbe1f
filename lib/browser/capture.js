// The document in the open editor, with unsaved changes.
import { assertOptions } from './arguments.js'
import { CaptureError } from './errors.js'
import { firstMounted, stateOf } from './registry.js'
import { wasLedElsewhere } from './request.js'

/** @import { FileType } from '@onlyoffice/doceditor-types' */
/** @import { Captures } from './captures.js' */
/** @import { EditorPage } from './fragment.js' */

const TIME_LIMIT_MS = 60_000

/** Formats that are files of another type. @type {Record<string, string>} */
const SAME_TYPE = { pdfa: 'pdf', jpeg: 'jpg' }

/** @typedef {{ fileType?: string | undefined, signal?: AbortSignal | undefined }} CaptureOptions */

/**
 * Fetches the document in the open editor, with unsaved changes, through the handler's proxy action.
 *
 * The editor makes one file at a time: of several calls, each waits for those before it, a few seconds also for one that was aborted.
 * Rejects with a `CaptureError`, whose `code` tells why, or with the reason of `signal`.
 * @param {object} [options]
 * @param {Element | null} [options.fragment] Default: the first fragment in the page with an editor.
 * @param {FileType} [options.fileType] Format, such as `pdf`; any other than the one asked for is an error. Default: the format of the
 *   document, or what the editor makes instead of it.
 * @param {AbortSignal} [options.signal] Default: ends after 60 seconds.
 * @returns {Promise<File>} Named like the document, with the extension of its format.
 * @example
 * const pdf = await captureDocument({ fileType: 'pdf' })
 */
export async function captureDocument (options = {}) {
  assertOptions(options, ['fragment', 'fileType', 'signal'])
  const { fragment = firstMounted(), fileType, signal } = options
  const editor = fragment && stateOf(fragment).editor
  if (!editor) throw new CaptureError('not-mounted', 'No editor is mounted: wait for mountEditor()')
  return await editor.capture({ fileType, signal })
}

/**
 * @param {{ page: EditorPage, captures: Captures, title: () => string }} editor
 * @param {CaptureOptions} options
 */
export async function capture ({ page, captures, title }, { fileType, signal }) {
  const limit = signal ? null : new AbortController()
  const timer = limit && setTimeout(() => limit.abort(new CaptureError('timeout', `The document was not there after ${TIME_LIMIT_MS / 1000} s`)), TIME_LIMIT_MS)
  const ends = /** @type {AbortSignal} */ (signal ?? limit?.signal)
  try {
    const { url, fileType: made = fileType ?? page.config.document?.fileType ?? '' } = await captures.add(fileType, ends)
    if (fileType !== undefined && !isSame(fileType, made)) throw new CaptureError('format', `The editor cannot make ${fileType} of this document: it made ${made}`, { fileType: made })
    if (!url) throw new CaptureError('failed', 'The editor returned no URL for the document')
    const blob = await fetchThroughProxy(page, url, ends)
    return new File([blob], `${title().replace(/\.[^.]*$/, '')}.${made}`, { type: blob.type })
  } finally {
    if (timer !== null) clearTimeout(timer)
  }
}

/**
 * @param {string} asked
 * @param {string} made
 */
function isSame (asked, made) {
  const [one, other] = [asked, made].map(type => SAME_TYPE[type.toLowerCase()] ?? type.toLowerCase())
  return one === other
}

/**
 * A file that the document server has made.
 * @param {EditorPage} page
 * @param {string} url
 * @param {AbortSignal} signal
 */
export async function fetchThroughProxy ({ handler, fileId, proxyToken }, url, signal) {
  const query = new URLSearchParams({ action: 'proxy', fileId, url })
  try {
    const response = await fetch(`${handler}?${query}`, { signal, headers: { 'x-editor-proxy-token': proxyToken } })
    const { ok, status } = response
    if (wasLedElsewhere(response, handler)) throw new CaptureError('expired', 'The application has logged out the user: reload the page', { status: 401 })
    if (status === 401) throw new CaptureError('expired', 'The proxy token of this page has expired: reload the page', { status })
    if (!ok) throw new CaptureError('failed', `The proxy action answered ${status}: ${await response.text()}`, { status })
    return await response.blob()
  } catch (cause) {
    if (signal.aborted) throw signal.reason
    if (cause instanceof CaptureError) throw cause
    throw new CaptureError('unreachable', 'The proxy action did not answer', { cause })
  }
}
