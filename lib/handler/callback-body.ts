import { isUtf8 } from 'node:buffer'
import { InvalidCallbackError } from '../errors.js'

/** Deep nesting has no use in a callback; it would only burn time wherever the value is walked. */
const MAX_DEPTH = 100

/** Reads a body as JSON, whatever content type it claims. Throws `InvalidCallbackError`. */
export function parseCallbackBody (bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new InvalidCallbackError('its body is not UTF-8')
  const text = bytes.toString().replace(/^\ufeff/, '')
  if (hasManyLevels(text) && depthOf(text) > MAX_DEPTH) throw new InvalidCallbackError(`its body is nested deeper than ${MAX_DEPTH} levels`)
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidCallbackError('its body is not JSON') // no cause: its message quotes the body, which holds a token
  }
}

/** Whether there may be more levels than are allowed. Of a body that is one long text it tells at once that there are not. */
function hasManyLevels (json: string): boolean {
  let left = MAX_DEPTH
  for (const bracket of '[{') {
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1)) {
      if (--left < 0) return true
    }
  }
  return false
}

/** One pass over the text, so that no text can make it slow. */
function depthOf (json: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const character = json[i]
    if (inString) {
      if (character === '\\') i++
      else if (character === '"') inString = false
    } else if (character === '"') {
      inString = true
    } else if (character === '[' || character === '{') {
      deepest = Math.max(deepest, ++depth)
    } else if (character === ']' || character === '}') {
      depth--
    }
  }
  return deepest
}
