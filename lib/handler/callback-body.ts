import type { FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { InvalidCallbackError, TooLargeError } from '../errors.js'
import type { Settings } from '../options.js'

type ReadBody = (request: FastifyRequest, payload: Readable) => Promise<Buffer>

/** Reads a whole body, within `bodyLimit` and `timeouts.body`. Rejects with `TooLargeError` or `InvalidCallbackError`. */
export function bodyReader ({ bodyLimit, timeouts }: Pick<Settings, 'bodyLimit' | 'timeouts'>): ReadBody {
  return async function readBody (request, payload) {
    if (Number(request.headers['content-length']) > bodyLimit) throw new TooLargeError(bodyLimit)
    return await new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let size = 0
      const timer = setTimeout(() => stop(new InvalidCallbackError(`its body did not arrive within ${timeouts.body} ms`)), timeouts.body)
      const onData = (chunk: Buffer) => {
        size += chunk.length
        if (size > bodyLimit) return stop(new TooLargeError(bodyLimit))
        chunks.push(chunk)
      }
      // What still arrives after that goes nowhere.
      const stop = (error: Error) => {
        clearTimeout(timer)
        payload.off('data', onData)
        reject(error)
      }
      payload.on('data', onData)
      payload.on('error', stop)
      payload.once('close', () => stop(new InvalidCallbackError('its body was cut off')))
      payload.once('end', () => {
        clearTimeout(timer)
        resolve(Buffer.concat(chunks))
      })
    })
  }
}

/** Deep nesting has no use in a callback; it would only burn time wherever the value is walked. */
const MAX_DEPTH = 100

/** Reads a body as JSON, whatever content type it claims. Throws `InvalidCallbackError`. */
export function parseCallbackBody (bytes: Buffer): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes) // drops a byte order mark
  } catch (cause) {
    throw new InvalidCallbackError('its body is not UTF-8', { cause })
  }
  if (depthOf(text) > MAX_DEPTH) throw new InvalidCallbackError(`its body is nested deeper than ${MAX_DEPTH} levels`)
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidCallbackError('its body is not JSON') // no cause: its message quotes the body, which holds a token
  }
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
