/** @typedef {ReturnType<typeof createCounts>} Counts */

export function createCounts () {
  return {
    kills: 0,
    freezes: 0,
    editors: 0,
    /** Editors that joined others, and those that were sent back because the document had just been saved. */
    joined: 0,
    outdated: 0,
    notOpened: 0,
    acknowledged: 0,
    unanswered: 0,
    refused: 0,
    /** Force saves for which the application waited. */
    awaited: 0,
    /** Saves that only the document server had, until somebody opened the document again. */
    forgotten: 0,
    stored: 0,
    storedTwice: 0,
    /**
     * Older content that has replaced newer content of the same session and second: nobody but the document server can
     * tell.
     */
    sameSecond: 0,
    /** Saves that an instance held up, while their session was saved again. */
    lateCopies: 0,
    toldTwice: 0,
    /**
     * Contents that the application was not told of, because their instance was killed, but of a later one of the
     * document.
     */
    toldLater: 0,
    /** What must not be. */
    lost: 0,
    /** Edits, acknowledged or not, that the document does not have in the end. */
    missing: 0,
    forks: 0,
    outOfOrder: 0,
    torn: 0,
    untold: 0,
    stuck: 0
  }
}
