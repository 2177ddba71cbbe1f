import { nextSave } from './edited-file.js'

/** @typedef {import('./document-server.js').Save} Save */
/** @typedef {import('./edited-file.js').EditedFile} EditedFile */
/** @typedef {import('./random.js').Random} Random */
/** @typedef {import('./processes.js').Service} Service */

/**
 * One callback that is posted soon.
 * @typedef {object} Call
 * @property {EditedFile} file
 * @property {Save} save
 * @property {Service} to
 * @property {number} after milliseconds
 * @property {import('./phases.js').Reached} reached at the moment of the kill
 * @property {boolean} isReplay of a save that was acknowledged
 */

/** What may be posted of one file at nearly the same time. */
const MIXES = /** @type {const} */ ([['6'], ['2'], ['6', '2'], ['6', '6'], ['6', '6', '2'], ['replay', '6'], ['replay', '2'], ['broken'], ['6', 'broken']])

/** So many saves back a save is known to have been stored, whatever came after it. */
const REMEMBERED = 5

/**
 * @param {EditedFile} file
 * @param {readonly Service[]} services
 * @param {Random} random
 * @returns {Call[]}
 */
export function burstOf (file, services, random) {
  /** @type {import('./phases.js').Reached} */
  const reached = 'nothing'
  let after = 0
  return random.of(MIXES).flatMap(kind => {
    after += random.below(15)
    const call = { file, to: random.of(services), after, reached }
    if (kind !== 'replay') return { ...call, save: nextSave(file, { status: kind === '6' ? 6 : 2, isBroken: kind === 'broken' }, random), isReplay: false }
    const acknowledged = file.saves.slice(-REMEMBERED).filter(save => save.isAcknowledged)
    return acknowledged.length === 0 ? [] : { ...call, save: random.of(acknowledged), isReplay: true }
  })
}
