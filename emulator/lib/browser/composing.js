/** Some keyboards compose every word, and don't end that while nothing is typed. */
const PAUSE_MS = 3000

/**
 * Keeps messages back while a character is composed: a change of the text around it would break that off.
 *
 * @template Message
 * @param {(message: Message) => void} receive
 * @returns {(message: Message) => void}
 */
export function afterComposing (receive) {
  /** @type {Message[]} */ const kept = []
  let isComposing = false
  let timer = 0

  function composing () {
    isComposing = true
    clearTimeout(timer)
    timer = setTimeout(end, PAUSE_MS)
  }

  function end () {
    isComposing = false
    clearTimeout(timer)
    timer = setTimeout(release) // some browsers tell of the text only then
  }

  function release () {
    if (isComposing) return
    while (kept.length > 0) receive(/** @type {Message} */ (kept.shift()))
  }

  for (const event of ['compositionstart', 'compositionupdate']) addEventListener(event, composing)
  for (const event of ['compositionend', 'focusout', 'blur']) addEventListener(event, end)
  return message => {
    kept.push(message)
    release()
  }
}
