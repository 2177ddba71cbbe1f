const PAUSE_MS = 150

/**
 * Sends the place of the caret whenever it changes, but not before the text around it: elsewhere it would be another
 * place.
 *
 * @param {() => string | null} current
 * @param {() => boolean} isUnsent
 * @param {(place: string | null) => void} send
 */
export function watchPlace (current, isUnsent, send) {
  /** @type {string | null} */
  let last = null
  let timer = 0

  function sendIfChanged () {
    timer = 0
    const place = current()
    if (place === last || isUnsent()) return
    last = place
    send(place)
  }

  function soon () {
    timer ||= setTimeout(sendIfChanged, PAUSE_MS)
  }

  document.addEventListener('selectionchange', soon)
  document.addEventListener('focusin', soon)
  return {
    /** The text has changed. */
    soon,
    /** Sends the place again after a new connection. */
    forget () {
      last = null
      soon()
    }
  }
}
