import { content } from './content.js'

/**
 * Rejects unless the URL answers with the content of save 0.
 * @param {string} url
 * @param {number} size
 * @param {Record<string, string>} [headers]
 */
export async function checkDownload (url, size, headers = {}) {
  const response = await fetch(url, { headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  if (response.status !== 200) {
    throw new Error(`${url} answered with status ${response.status}: ${bytes.subarray(0, 500)}`)
  }
  let position = 0
  for (const expected of content(size, 0)) {
    if (!bytes.subarray(position, position += expected.length).equals(expected)) {
      throw new Error(`${url} answered with other bytes than expected`)
    }
  }
  if (bytes.length !== position) throw new Error(`${url} answered with ${bytes.length} bytes instead of ${size}`)
}
