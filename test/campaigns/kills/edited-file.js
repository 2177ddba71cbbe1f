import { makeDocument } from './documents.js'

/** @typedef {import('./document-server.js').Save} Save */
/** @typedef {import('./random.js').Random} Random */

/**
 * A document and what was done to it, as the document server knows it.
 * @typedef {object} EditedFile
 * @property {string} fileId
 * @property {string} extension of what was saved last
 * @property {string} key of the session that is live, or was last
 * @property {boolean} isLive
 * @property {Set<string>} ended keys of sessions that were saved for good
 * @property {number} version of the newest content ever made
 * @property {Save[]} saves of every session, oldest first
 * @property {Set<number>} published versions of the content that were stored at some moment
 * @property {Map<number, number>} kept by number in the version history: the versions of the content that were found
 *   there
 * @property {string[]} history
 */

const EPOCH = Date.UTC(2026, 0, 1)

/**
 * @param {string} fileId
 * @param {string} extension
 * @returns {EditedFile}
 */
export function editedFile (fileId, extension) {
  return { fileId, extension, key: '', isLive: false, ended: new Set(), version: 0, saves: [], published: new Set([0]), kept: new Map(), history: [] }
}

/**
 * What the session hands over next: a newer content than ever before, now and then in another format.
 * @param {EditedFile} file
 * @param {{ status: 2 | 6, isBroken?: boolean }} what
 * @param {Random} random
 * @returns {Save}
 */
export function nextSave (file, { status, isBroken = false }, random) {
  const version = ++file.version
  if (file.extension === 'doc') file.extension = 'docx' // the document server saves no doc
  else if (random.chance(0.25)) file.extension = file.extension === 'docx' ? 'odt' : 'docx'
  const size = random.chance(0.05) ? 2_000_000 : random.below(200_000)
  const save = {
    fileId: file.fileId,
    key: file.key,
    status,
    version,
    path: pathOf(file, version, 1),
    lastsave: new Date(EPOCH + version * 1000).toISOString(),
    filetype: file.extension,
    bytes: makeDocument({ fileId: file.fileId, version }, size),
    pause: random.of([0, 0, 0, 5, 20, 60]),
    isBroken,
    asked: 0,
    begun: () => {},
    sent: () => {},
    isSent: false,
    isAcknowledged: false,
    isAbandoned: false
  }
  file.saves.push(save)
  return save
}

/**
 * The document server keeps what was refused and hands it over again later: from another address.
 * @param {EditedFile} file
 * @param {Save} save
 */
export function mend (file, save) {
  save.isBroken = false
  save.path = pathOf(file, save.version, 2)
}

/** @param {EditedFile} file */
export function newestAcknowledged ({ saves }) {
  return Math.max(0, ...saves.filter(save => save.isAcknowledged).map(({ version }) => version))
}

/**
 * @param {EditedFile} file
 * @param {string} event
 */
export function note ({ history }, event) {
  history.push(`${new Date().toISOString().slice(14, 23)} ${event}`)
}

/**
 * A violation, told with what was done to the file.
 * @param {EditedFile} file
 * @param {string} message
 * @returns {never}
 */
export function violated (file, message) {
  throw new Error(`${file.fileId}: ${message}\n  ${file.history.slice(-40).join('\n  ')}`)
}

/**
 * @param {EditedFile} file
 * @param {number} version
 * @param {number} attempt
 */
function pathOf ({ key }, version, attempt) {
  return `/cache/files/data/${key}_${version}${attempt}/output.docx/output.docx`
}
