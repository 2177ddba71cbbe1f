import { isUtf8 } from 'node:buffer'
import { InvalidCallbackError } from '../errors.js'
import { parseJson } from '../json.js'

/** Callbacks are flat. Deep nesting would only cost time wherever the value is traversed. */
const MAX_DEPTH = 100

/** Parses a body as JSON, whatever its content type. Throws `InvalidCallbackError`. */
export function parseCallbackBody (bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new InvalidCallbackError('its body is not UTF-8')
  const text = bytes.toString().replace(/^\ufeff/, '')
  if (hasManyLevels(text) && depthOf(text) > MAX_DEPTH) throw new InvalidCallbackError(`its body is nested deeper than ${MAX_DEPTH} levels`)
  const body = parseJson(text)
  if (body === undefined) throw new InvalidCallbackError('its body is not JSON')
  return body
}

/** Whether there are so many brackets that the nesting may be too deep. Fast also for a body that is one long string. */
function hasManyLevels (json: string): boolean {
  let left = MAX_DEPTH
  for (const bracket of '[{') {
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1)) {
      if (--left < 0) return true
    }
  }
  return false
}

/** In one pass: no input can make it slow. */
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
