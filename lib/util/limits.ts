import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

export interface Limits {
  readonly milliseconds: number
  /** Makes the error to reject with when the time is up. */
  readonly timeoutError: (milliseconds: number) => Error
  /** Ends the wait early. The call then rejects with its reason. */
  readonly signal?: AbortSignal
}

/**
 * Runs a part of a call that has its own limits: the call's time limit starts anew when it ends. Rejects without
 * running it if nobody waits for the call any more.
 */
export type Untimed = <Value>(task: () => Promise<Value>) => Promise<Value>

/** Waits for a promise, or rejects with the reason of the signal if it is aborted first. */
export async function unlessAborted<Result> (promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let onAbort = () => {}
  const aborted = new Promise<never>((_resolve, reject) => { onAbort = () => reject(signal.reason) })
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Rejects with the signal's reason; `delay` alone would reject with an `AbortError`. */
export async function pause (milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(milliseconds, undefined, signal && { signal }).catch(() => {})
  signal?.throwIfAborted()
}

export interface Repetition<Result> {
  /** How often a request is repeated at most. */
  readonly retries: number
  /** Milliseconds for all attempts and the pauses between them. */
  readonly total: number
  /** Ends the pauses. */
  readonly signal: AbortSignal
  /** Whether an attempt has failed, and another may succeed. */
  readonly isTransient: (attempted: Promise<Result>) => Promise<boolean>
}

const FIRST_PAUSE_MS = 200

/**
 * Makes a request, and repeats it after transient failures, with pauses that become longer. `attempt` gets the
 * milliseconds that are left for it.
 */
export async function repeated<Result> (
  attempt: (timeLeft: number) => Promise<Result>, { retries, total, signal, isTransient }: Repetition<Result>
): Promise<Result> {
  const end = performance.now() + total
  let timeLeft = total
  for (let retry = 0; ; retry++) {
    const attempted = attempt(timeLeft)
    if (retry === retries || !await isTransient(attempted)) return await attempted
    const milliseconds = FIRST_PAUSE_MS * 4 ** retry
    timeLeft = Math.floor(end - performance.now() - milliseconds)
    if (timeLeft < 1 || signal.aborted) return await attempted
    await pause(milliseconds, signal)
  }
}

/**
 * Runs application code, such as a hook or a storage, with a time limit: a promise that never settles must not block
 * anybody. The call is not cancelled.
 */
export function withTimeout<Result> (
  call: (untimed: Untimed) => Result | Promise<Result>, { milliseconds, timeoutError, signal }: Limits
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isOver = false
    let timer: NodeJS.Timeout
    startTimer()
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted) onAbort()
    try {
      Promise.resolve(call(untimed)).then(result => { end(); resolve(result) }, fail)
    } catch (error) {
      fail(error)
    }

    function startTimer (): void {
      timer = setTimeout(() => fail(timeoutError(milliseconds)), milliseconds)
    }

    function onAbort (): void {
      fail(signal?.reason)
    }

    function fail (error: unknown): void {
      end()
      reject(error)
    }

    function end (): void {
      isOver = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }

    async function untimed<Value> (task: () => Promise<Value>): Promise<Value> {
      if (isOver) throw timeoutError(milliseconds)
      clearTimeout(timer)
      try {
        return await task()
      } finally {
        if (!isOver) startTimer()
      }
    }
  })
}

interface BodyRules extends Limits {
  /** Maximum size in bytes. */
  readonly limit: number
  /** Makes the error for a body that is larger. */
  readonly tooLarge: () => Error
  /** Makes the error for a body whose connection ended before it did. */
  readonly cutOff: () => Error
  /** Called after each chunk, with the size so far. Its rejection ends the reading. */
  readonly onChunk?: (size: number, untimed: Untimed) => Promise<void> | undefined
}

/**
 * Reads the body of a request into memory, within limits of size and time. After an error the rest is ignored, and the
 * stream stays open: the request is answered through the same connection.
 */
export async function readBody (
  payload: Readable, { limit, tooLarge, cutOff, onChunk, ...timeLimits }: BodyRules
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let ignoreRest = () => {}
  try {
    return await withTimeout(untimed => new Promise<Buffer>((resolve, reject) => {
      let size = 0
      const take = (chunk: Buffer): void => {
        size += chunk.length
        if (size > limit) return reject(tooLarge())
        chunks.push(chunk)
        onChunk?.(size, untimed)?.catch(reject)
      }
      ignoreRest = () => { payload.off('data', take) }
      payload.on('data', take)
      payload.on('error', reject)
      payload.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
      payload.once('close', () => { if (!payload.readableEnded) reject(cutOff()) })
      if (payload.destroyed) reject(cutOff()) // the client has left while the request was being authorized
    }), timeLimits)
  } finally {
    ignoreRest()
    chunks.length = 0
  }
}
