/** Some keyboards compose every word and don't end the composition when typing pauses. */
const PAUSE_MS = 3000

/**
 * Holds messages back while a character is being composed: changing the text around it would end the composition.
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
    timer = setTimeout(release) // some browsers report the text only then
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
