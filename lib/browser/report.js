// Tells the application that a document did not open, so that its log says why.

/**
 * @param {{ handler: string, fileId: string, proxyToken: string }} page
 * @param {number | 'slow' | 'no-frame'} code
 */
export function reportFailure ({ handler, fileId, proxyToken }, code) {
  const query = new URLSearchParams({ action: 'report', fileId, code: String(code) })
  // The user is told anyway, and can do nothing about a report that gets lost.
  fetch(`${handler}?${query}`, { method: 'POST', keepalive: true, headers: { 'x-editor-proxy-token': proxyToken } }).catch(() => {})
}
