const PAUSE_MS = 150

/**
 * Tells the others where the caret is, whenever it has gone elsewhere.
 *
 * @param {() => string | null} current
 * @param {(place: string | null) => void} send
 */
export function announcePlace (current, send) {
  /** @type {string | null} */
  let last = null
  let timer = 0

  function announce () {
    timer = 0
    const place = current()
    if (place === last) return
    last = place
    send(place)
  }

  function soon () {
    timer ||= setTimeout(announce, PAUSE_MS)
  }

  document.addEventListener('selectionchange', soon)
  document.addEventListener('focusin', soon)
  return {
    /** After a new connection, nobody knows it any more. */
    forget () {
      last = null
      soon()
    }
  }
}
