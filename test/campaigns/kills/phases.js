import { recordOf } from './directory.js'

/** How far a save had come when its service was killed, in order. */
export const PHASES = /** @type {const} */ ([
  'waiting for its turn', 'downloading', 'downloaded, not recorded', 'recorded, its file not replaced',
  'stored, not answered'
])

/** @typedef {typeof PHASES[number]} Phase */

/** @typedef {'nothing' | 'asked' | 'sent'} Reached how far the download had come */

/**
 * @param {import('./document-server.js').Save} save
 * @returns {Reached}
 */
export function reachedBy ({ asked, isSent }) {
  if (asked === 0) return 'nothing'
  return isSent ? 'sent' : 'asked'
}

/**
 * @param {string} directory
 * @param {import('./document-server.js').Save} save
 * @param {{ stored: number, reached: Reached }} found the stored version, and what had been downloaded at the kill
 * @returns {Promise<Phase>}
 */
export async function phaseOf (directory, save, { stored, reached }) {
  if (stored >= save.version) return 'stored, not answered'
  const record = await recordOf(directory, save.fileId)
  if (record?.state?.value.saves.some(({ path }) => path === save.path)) return 'recorded, its file not replaced'
  if (reached === 'sent') return 'downloaded, not recorded'
  return reached === 'asked' ? 'downloading' : 'waiting for its turn'
}
