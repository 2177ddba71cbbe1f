import { PHASES } from './phases.js'

/** @typedef {ReturnType<typeof createCounts>} Counts */

export function createCounts () {
  return {
    rounds: 0,
    /** Versions that were found in the histories at the end, and those before them that were deleted. */
    kept: 0,
    pruned: 0,
    kills: 0,
    acknowledged: 0,
    refused: 0,
    replayed: 0,
    /** Handed over again after a restart, and how many of those had been stored. */
    handedOverAgain: 0,
    storedAlready: 0,
    /** Posted again after a later session had saved. */
    overtaken: 0,
    /** Killed saves of a file that another service was storing too: their progress is unknown. */
    overlapping: 0,
    phases: /** @type {Record<import('./phases.js').Phase, number>} */ (Object.fromEntries(PHASES.map(phase => [phase, 0])))
  }
}
