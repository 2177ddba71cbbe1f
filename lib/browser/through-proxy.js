// Files that the document server has made.
import { wasLedElsewhere } from './request.js'

/** @import { EditorPage } from './fragment.js' */

/**
 * Fetches one through the handler's proxy action.
 * @param {EditorPage} page
 * @param {string} url
 * @param {AbortSignal} signal
 * @param {typeof import('./errors.js').CaptureError} CaptureError
 */
export async function fetchThroughProxy ({ handler, fileId, proxyToken }, url, signal, CaptureError) {
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
