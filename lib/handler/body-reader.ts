import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { InvalidCallbackError, TooLargeError } from '../errors.js'
import { createQueue } from '../util/queue.js'
import { parseJson } from '../util/text.js'
import type { HandlerRequest } from './request.js'
import type { HandlerServices } from './services.js'

/** Most callbacks are a few kilobytes. A history of thousands of changes makes one larger. */
const SMALL_BYTES = 64 * 1024

/** Parsing and verifying a MiB blocks the process for about 5 ms, and its memory is collected only seconds later. */
const PAUSE_MS_PER_MIB = 2000

/** Maximum per file. A document server sends one or two callbacks of a file at a time. */
const MAX_WAITING = 4

/**
 * Reads a whole body, within `bodyLimit` and `timeouts.body`. Large bodies from unknown senders are read one at a time,
 * in turn for different files and with a pause after each, so that they can neither fill the memory nor block the
 * process. Rejects with `TooLargeError` or `InvalidCallbackError`, or with the reason of the signal.
 */
export function bodyReader ({ settings, credentials, shutdown: { endAll: signal } }: HandlerServices) {
  const { bodyLimit, timeouts } = settings
  const allFiles = createQueue()
  const oneFile = createQueue()
  const waiting = new Map<string, number>()

  return async function readBody (request: HandlerRequest, payload: Readable): Promise<Buffer> {
    if (Number(request.headers['content-length']) > bodyLimit) throw new TooLargeError(bodyLimit)
    const { promise: body, resolve, reject } = deferred<Buffer>()
    const chunks: Buffer[] = []
    let size = 0
    let isRead = false
    let timer = giveUpAfter(timeouts.body)
    payload.on('data', take)
    payload.on('error', reject)
    payload.once('close', () => {
      if (!payload.readableEnded) reject(new InvalidCallbackError('its body was truncated'))
    })
    payload.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    try {
      return await body
    } finally {
      isRead = true
      clearTimeout(timer)
      payload.off('data', take) // ignores the rest
      chunks.length = 0
    }

    function take (chunk: Buffer): void {
      const wasSmall = size <= SMALL_BYTES
      size += chunk.length
      if (size > bodyLimit) return reject(new TooLargeError(bodyLimit))
      chunks.push(chunk)
      if (wasSmall && size > SMALL_BYTES && !credentials.isProvenByHeader(request)) {
        takeTurn(request.query.fileId!).catch(reject)
      }
    }

    async function takeTurn (fileId: string): Promise<void> {
      payload.pause()
      clearTimeout(timer)
      timer = giveUpAfter(timeouts.total)
      const before = waiting.get(fileId) ?? 0
      if (before === MAX_WAITING) {
        throw new InvalidCallbackError(
          `${before} other large callbacks of its file, without a token in the header, are waiting to be read`
        )
      }
      const stop = () => reject(signal.reason)
      signal.addEventListener('abort', stop)
      waiting.set(fileId, before + 1)
      try {
        await oneFile.run(fileId, async () => await allFiles.run('', readInTurn))
      } finally {
        signal.removeEventListener('abort', stop)
        waiting.set(fileId, waiting.get(fileId)! - 1)
        if (waiting.get(fileId) === 0) waiting.delete(fileId)
      }
    }

    async function readInTurn (): Promise<void> {
      signal.throwIfAborted()
      if (isRead) return // reading has failed meanwhile
      clearTimeout(timer)
      timer = giveUpAfter(timeouts.body)
      payload.resume()
      await body
      await delay(size / 1024 ** 2 * PAUSE_MS_PER_MIB, undefined, { signal, ref: false })
    }

    function giveUpAfter (milliseconds: number): NodeJS.Timeout {
      return setTimeout(
        () => reject(new InvalidCallbackError(`its body did not arrive within ${milliseconds} ms`)),
        milliseconds
      )
    }
  }
}

/** Node.js 20 has no `Promise.withResolvers`. */
function deferred<Value> () {
  let resolve!: (value: Value) => void
  let reject!: (error: Error) => void
  const promise = new Promise<Value>((_resolve, _reject) => { resolve = _resolve; reject = _reject })
  return { promise, resolve, reject }
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
