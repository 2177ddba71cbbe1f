import type { Readable } from 'node:stream'
import { InvalidActionError } from '../errors.js'
import { isJsonObject, type JsonObject, parseJson } from '../util/json.js'
import { withTimeout } from '../util/with-timeout.js'

interface Limits {
  /** For the body to arrive. */
  readonly milliseconds: number
  /** Ends the wait. */
  readonly signal: AbortSignal
}

/** What a user can type, with room for the data of an editor. */
const MAX_BYTES = 64 * 1024

/**
 * Reads the body of a page's request, a JSON object. Rejects with `InvalidActionError`, or with the reason of the
 * signal.
 */
export async function readBody (payload: Readable, { milliseconds, signal }: Limits): Promise<JsonObject> {
  const bytes = await withTimeout(async () => await bytesWithinLimit(payload), {
    milliseconds,
    signal,
    timeoutError: ms => new InvalidActionError(`its body did not arrive within ${ms} ms`)
  })
  const body = parseJson(bytes.toString())
  if (!isJsonObject(body)) throw new InvalidActionError('its body is not a JSON object')
  return body
}

/** The rest of a body that is too large is not kept: the connection is closed after the answer. */
function bytesWithinLimit (payload: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    payload.on('data', (chunk: Uint8Array) => {
      size += chunk.length
      if (size <= MAX_BYTES) chunks.push(chunk)
      else reject(new InvalidActionError(`its body has more than ${MAX_BYTES} bytes`))
    })
    payload.once('end', () => resolve(Buffer.concat(chunks)))
    payload.once('error', reject)
    const cutOff = () => reject(new InvalidActionError('its body was cut off'))
    payload.once('close', cutOff)
    if (payload.destroyed) cutOff() // the page was left while it was being authorized
  })
}
