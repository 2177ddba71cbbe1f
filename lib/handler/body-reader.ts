import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { InvalidCallbackError, TooLargeError } from '../errors.js'
import type { Settings } from '../options.js'
import { createQueue } from '../queue.js'
import type { Credentials } from './credentials.js'
import type { HandlerRequest } from './route.js'

type ReadBody = (request: HandlerRequest, payload: Readable) => Promise<Buffer>

interface Dependencies {
  readonly settings: Pick<Settings, 'bodyLimit' | 'timeouts'>
  readonly credentials: Pick<Credentials, 'isProven'>
  /** Ends the waiting of whatever still has to wait when the service has closed. */
  readonly over: AbortSignal
}

/** A callback has some kilobytes; one with the history of thousands of changes has more. */
const SMALL_BYTES = 64 * 1024

/** To parse and to verify a MiB takes some 5 ms of everybody's time, and memory that is free again only some seconds later. */
const PAUSE_MS_PER_MIB = 2000

/** Of one file, in line. A document server has one under way, or two. */
const MOST_WAITING = 4

/**
 * Reads a whole body, within `bodyLimit` and `timeouts.body`. Large ones that anyone may have sent are read one at a time, those
 * of different files in turn, with a pause after each, so that they cost neither much memory nor much of others' time. Rejects
 * with `TooLargeError` or `InvalidCallbackError`, or with the reason of `over`.
 */
export function bodyReader ({ settings: { bodyLimit, timeouts }, credentials, over }: Dependencies): ReadBody {
  const line = createQueue()
  const ofFile = createQueue()
  const waiting = new Map<string, number>()

  return async function readBody (request, payload) {
    if (Number(request.headers['content-length']) > bodyLimit) throw new TooLargeError(bodyLimit)
    const { promise: body, resolve, reject } = deferred<Buffer>()
    const chunks: Buffer[] = []
    let size = 0
    let isRead = false
    let timer = giveUpAfter(timeouts.body)
    payload.on('data', take)
    payload.on('error', reject)
    payload.once('close', () => reject(new InvalidCallbackError('its body was cut off')))
    payload.once('end', () => resolve(Buffer.concat(chunks)))
    try {
      return await body
    } finally {
      isRead = true
      clearTimeout(timer)
      payload.off('data', take) // what still arrives goes nowhere
      chunks.length = 0
    }

    function take (chunk: Buffer): void {
      const wasSmall = size <= SMALL_BYTES
      size += chunk.length
      if (size > bodyLimit) return reject(new TooLargeError(bodyLimit))
      chunks.push(chunk)
      if (wasSmall && size > SMALL_BYTES && !credentials.isProven(request)) takeTurn(request.query.fileId!).catch(reject)
    }

    async function takeTurn (fileId: string): Promise<void> {
      payload.pause()
      clearTimeout(timer)
      timer = giveUpAfter(timeouts.total)
      const before = waiting.get(fileId) ?? 0
      if (before === MOST_WAITING) throw new InvalidCallbackError(`${before} large ones of its file wait to be read, and none has a token in its header`)
      const stop = () => reject(over.reason)
      over.addEventListener('abort', stop)
      waiting.set(fileId, before + 1)
      try {
        await ofFile.enter(fileId).run(async () => await line.enter('').run(readInTurn))
      } finally {
        over.removeEventListener('abort', stop)
        waiting.set(fileId, waiting.get(fileId)! - 1)
        if (waiting.get(fileId) === 0) waiting.delete(fileId)
      }
    }

    async function readInTurn (): Promise<void> {
      over.throwIfAborted()
      if (isRead) return // given up meanwhile
      clearTimeout(timer)
      timer = giveUpAfter(timeouts.body)
      payload.resume()
      await body
      await delay(size / 1024 ** 2 * PAUSE_MS_PER_MIB, undefined, { signal: over, ref: false })
    }

    function giveUpAfter (milliseconds: number): NodeJS.Timeout {
      return setTimeout(() => reject(new InvalidCallbackError(`its body did not arrive within ${milliseconds} ms`)), milliseconds)
    }
  }
}

/** A promise with its ends in hand. Node.js 20 has no `Promise.withResolvers`. */
function deferred<Value> () {
  let resolve!: (value: Value) => void
  let reject!: (error: Error) => void
  const promise = new Promise<Value>((_resolve, _reject) => { resolve = _resolve; reject = _reject })
  return { promise, resolve, reject }
}
