import { RefusedError } from '../requests.js'

/**
 * @typedef {object} VersionData
 * @property {number} [version]
 * @property {string} [error]
 * @property {string} [key]
 * @property {string} [url]
 * @property {string} [fileType]
 * @property {string} [token]
 * @typedef {object} ShownVersion A version, or the state after one of its changes.
 * @property {number} version
 * @property {string} fileType
 * @property {object} doc
 * @property {string} serverVersion
 * @property {string} [url] a result file with the state after the change
 */

/**
 * The document server fetches the version and the one before it: the page needs no access to them.
 *
 * @param {VersionData} data as the embedding page gave it
 * @param {number | null} change the state after this change of the version
 * @returns {Promise<ShownVersion>}
 */
export async function fetchVersion (data, change) {
  const url = new URL(`../../../../downloadfile/${encodeURIComponent(String(data.key ?? '-'))}`, location.href)
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ data, change })
  })
  const answer = await response.json()
  if (!response.ok) throw new RefusedError(answer.code ?? -1, answer.message ?? 'The version could not be fetched.')
  return answer
}
