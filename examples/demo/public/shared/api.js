export const NOT_REACHABLE = 'The server is not reachable. Check that it is running, and try again.'

/**
 * Sends a request that changes something. Rejects with an error whose message is for the user.
 * @param {'POST' | 'PATCH' | 'DELETE'} method
 * @param {string} url
 * @param {object} [fields]
 * @param {AbortSignal} [signal]
 */
export async function send (method, url, fields = {}, signal) {
  return await reach(url, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
    ...(signal && { signal })
  })
}

/**
 * @param {string} url
 * @param {AbortSignal} [signal]
 */
export async function read (url, signal) {
  return await reach(url, { headers: { accept: 'application/json' }, cache: 'no-store', ...(signal && { signal }) })
}

/**
 * @param {string} url
 * @param {RequestInit} options
 */
async function reach (url, options) {
  const response = await fetch(url, options).catch(() => { throw new Error(NOT_REACHABLE) })
  if (response.ok) return response
  const { message } = await response.json().catch(() => ({}))
  throw new Error(typeof message === 'string' ? message : 'That did not work. Reload the page and try again.')
}

/**
 * Gives the user a file.
 * @param {Blob} blob
 * @param {string} name
 */
export function saveFile (blob, name) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
