import { Readable } from 'node:stream'

const SMALL_REQUEST_MS = 10_000

/** @typedef {ReturnType<typeof blobClient>} Blobs */
/** @typedef {{ ifMatch?: string, ifNoneMatch?: '*' }} Condition */

/**
 * Client of a service that keeps blobs: the only part that knows its URLs and headers. With another service, write this
 * file anew.
 * @param {{ url: string, token: string }} options
 */
export function blobClient ({ url, token }) {
  return {
    /**
     * Resolves to `null` if there is no such blob. A body that has begun must stay readable when the blob is deleted.
     * @param {string} name
     * @param {{ start: number, end: number }} [range]
     */
    async get (name, range) {
      const response = await send('GET', name, { headers: range ? { range: `bytes=${range.start}-${range.end}` } : {} })
      if (response.status === 404) return null
      expect(response, range ? 206 : 200)
      return Readable.fromWeb(/** @type {import('node:stream/web').ReadableStream} */ (response.body))
    },

    /**
     * A small JSON value with its ETag, or `null`.
     * @param {string} name
     */
    async getJson (name) {
      const response = await send('GET', name, { signal: AbortSignal.timeout(SMALL_REQUEST_MS) })
      if (response.status === 404) {
        await response.body?.cancel()
        return null
      }
      expect(response, 200)
      const etag = response.headers.get('etag')
      if (etag === null) {
        throw new Error('The blob service sends no ETag, so that nothing can be written under a condition')
      }
      return { etag, value: await response.json() }
    },

    /**
     * Stores content, durably and completely, or nothing.
     * @param {string} name
     * @param {Uint8Array | AsyncIterable<Uint8Array>} content
     */
    async put (name, content) {
      expect(
        await send('PUT', name, { body: /** @type {NonNullable<RequestInit['body']>} */ (content), duplex: 'half' }),
        204
      )
    },

    /**
     * Resolves to whether the condition held and the value is stored.
     * @param {string} name
     * @param {unknown} value
     * @param {Condition} condition
     */
    async putJson (name, value, condition) {
      const response = await send('PUT', name, {
        body: JSON.stringify(value),
        headers: headersOf(condition),
        signal: AbortSignal.timeout(SMALL_REQUEST_MS)
      })
      if (response.status === 412) return false
      expect(response, 204)
      return true
    },

    /**
     * Resolves to whether the condition held. A blob that does not exist is deleted already.
     * @param {string} name
     * @param {Condition} [condition]
     */
    async delete (name, condition = {}) {
      const response = await send('DELETE', name, {
        headers: headersOf(condition),
        signal: AbortSignal.timeout(SMALL_REQUEST_MS)
      })
      if (response.status === 412) return false
      expect(response, 204)
      return true
    },

    /** @returns {Promise<string[]>} The ids of all documents. */
    async documentIds () {
      const response = await send('GET', 'documents', { signal: AbortSignal.timeout(SMALL_REQUEST_MS) })
      expect(response, 200)
      return /** @type {string[]} */ (await response.json())
    }
  }

  /**
   * @param {string} method
   * @param {string} name
   * @param {RequestInit & { headers?: Record<string, string>, duplex?: 'half' }} init
   */
  async function send (method, name, init) {
    return await fetch(new URL(name, url), {
      ...init,
      method,
      redirect: 'error',
      headers: { ...init.headers, authorization: `Bearer ${token}` }
    })
  }
}

/** @param {Condition} condition */
function headersOf ({ ifMatch, ifNoneMatch }) {
  return { ...(ifMatch && { 'if-match': ifMatch }), ...(ifNoneMatch && { 'if-none-match': ifNoneMatch }) }
}

/**
 * @param {Response} response
 * @param {number} status
 */
function expect (response, status) {
  if (response.status === status) return
  response.body?.cancel().catch(() => {})
  throw new Error(`The blob service answered ${response.status} instead of ${status}`)
}
