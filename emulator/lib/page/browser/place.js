const PAUSE_MS = 150

/**
 * Sends the place of the caret whenever it changes.
 *
 * @param {() => string | null} current
 * @param {(place: string | null) => void} send
 */
export function watchPlace (current, send) {
  /** @type {string | null} */
  let last = null
  let timer = 0

  function sendIfChanged () {
    timer = 0
    const place = current()
    if (place === last) return
    last = place
    send(place)
  }

  function soon () {
    timer ||= setTimeout(sendIfChanged, PAUSE_MS)
  }

  document.addEventListener('selectionchange', soon)
  document.addEventListener('focusin', soon)
  return {
    /** Sends the place again after a new connection. */
    forget () {
      last = null
      soon()
    }
  }
}
