import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { InvalidCallbackError, TooLargeError } from '../errors.js'
import { readBody, withTimeout } from '../util/limits.js'
import { createQueue } from '../util/queue.js'
import { parseJson } from '../util/text.js'
import type { HandlerRequest } from './request.js'
import type { HandlerServices } from './services.js'

const gunzipAsync = promisify(gunzip)

/** Most callbacks are a few kilobytes. A history of thousands of changes makes one larger. */
const SMALL_BYTES = 64 * 1024

/** Parsing and verifying a MiB blocks the process for about 5 ms, and its memory is collected only seconds later. */
const PAUSE_MS_PER_MIB = 2000

/** Maximum per file. A document server sends one or two callbacks of a file at a time. */
const MAX_WAITING = 4

/**
 * Reads a whole body, within `bodyLimit` and `timeouts.body`. Large bodies from unknown senders are read one at a time,
 * in turn for different files and with a pause after each, so that they can neither fill the memory nor block the
 * process. Rejects with `TooLargeError` or `InvalidCallbackError`, or with the reason of the shutdown.
 */
export function callbackReader ({ settings, credentials, shutdown: { endAll: signal } }: HandlerServices) {
  const { bodyLimit, timeouts } = settings
  const allFiles = createQueue()
  const oneFile = createQueue()
  const waiting = new Map<string, number>()
  const tooLarge = () => new TooLargeError(bodyLimit)
  const timeoutError = (ms: number) => new InvalidCallbackError(`its body did not arrive within ${ms} ms`)

  return async function readCallback (request: HandlerRequest, payload: Readable): Promise<Buffer> {
    if (Number(request.headers['content-length']) > bodyLimit) throw tooLarge()
    let isLarge = false
    const body = readBody(payload, {
      limit: bodyLimit,
      milliseconds: timeouts.body,
      tooLarge,
      cutOff: () => new InvalidCallbackError('its body was truncated'),
      timeoutError,
      onChunk (size, untimed) {
        if (isLarge || size <= SMALL_BYTES) return undefined
        isLarge = true
        if (credentials.isProvenByHeader(request)) return undefined
        payload.pause()
        return untimed(async () => await turnOf(request.query.fileId!, body)).then(() => { payload.resume() })
      }
    })
    return request.headers['content-encoding'] === 'gzip' ? await unpacked(request, await body) : await body
  }

  /** A proxy may compress requests. A small body can become a large one: an unknown sender's is not unpacked. */
  async function unpacked (request: HandlerRequest, body: Buffer): Promise<Buffer> {
    if (!credentials.isProvenByHeader(request)) {
      throw new InvalidCallbackError('its body is compressed, and it has no valid token in its header')
    }
    try {
      return await gunzipAsync(body, { maxOutputLength: bodyLimit })
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
      throw new InvalidCallbackError('its body is not compressed as its Content-Encoding says', { cause })
    }
  }

  /** Resolves when it is a body's turn, which ends a while after the body. */
  async function turnOf (fileId: string, body: Promise<Buffer>): Promise<void> {
    const before = waiting.get(fileId) ?? 0
    if (before === MAX_WAITING) {
      throw new InvalidCallbackError(
        `${before} other large callbacks of its file, without a token in the header, are waiting to be read`
      )
    }
    waiting.set(fileId, before + 1)
    const begun = new Promise<void>((resolve, reject) => {
      const turn = async () => {
        signal.throwIfAborted()
        resolve()
        const { length } = await body // rejects if reading has failed meanwhile
        await delay(length / 1024 ** 2 * PAUSE_MS_PER_MIB, undefined, { signal, ref: false })
      }
      oneFile.run(fileId, async () => await allFiles.run('', turn)).finally(() => release(fileId)).catch(reject)
    })
    await withTimeout(() => begun, { milliseconds: timeouts.total, timeoutError, signal })
  }

  function release (fileId: string): void {
    waiting.set(fileId, waiting.get(fileId)! - 1)
    if (waiting.get(fileId) === 0) waiting.delete(fileId)
  }
}

/** Callbacks are flat. Deep nesting would only cost time wherever the value is traversed. */
const MAX_DEPTH = 100

/** Parses a body as JSON, whatever its content type. Throws `InvalidCallbackError`. */
export function parseCallbackBody (bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new InvalidCallbackError('its body is not UTF-8')
  const text = bytes.toString().replace(/^\ufeff/, '')
  if (hasManyLevels(text) && depthOf(text) > MAX_DEPTH) {
    throw new InvalidCallbackError(`its body is nested deeper than ${MAX_DEPTH} levels`)
  }
  const body = parseJson(text)
  if (body === undefined) throw new InvalidCallbackError('its body is not JSON')
  return body
}

/** Whether there are enough brackets for the nesting to be too deep. Fast even if the body is one long string. */
function hasManyLevels (json: string): boolean {
  let left = MAX_DEPTH
  for (const bracket of '[{') {
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1)) {
      if (--left < 0) return true
    }
  }
  return false
}

/** Runs in one pass, so that no input can make it slow. */
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
