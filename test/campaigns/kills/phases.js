import { recordOf } from './directory.js'

/** How far a save had come when its service was killed, in order. */
export const PHASES = /** @type {const} */ ([
  'waiting for its turn',
  'downloading',
  'flushing to the disk',
  'noted, about to be published',
  'published, its record not completed',
  'recorded, not answered'
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
  const record = await recordOf(directory, save.fileId)
  if (stored >= save.version) return record.saves.some(({ path }) => path === save.path) ? 'recorded, not answered' : 'published, its record not completed'
  if (record.lock?.publishing?.save.path === save.path) return 'noted, about to be published'
  if (reached === 'sent') return 'flushing to the disk'
  return reached === 'asked' ? 'downloading' : 'waiting for its turn'
}
