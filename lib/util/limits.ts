import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

export interface Limits {
  readonly milliseconds: number
  /** Makes the error to reject with when the time is up. */
  readonly timeoutError: (milliseconds: number) => Error
  /** Ends the wait early. The call then rejects with its reason. */
  readonly signal?: AbortSignal
}

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

/**
 * Runs a task again and again until the signal is aborted. `interval`: milliseconds between the end of a run and the
 * start of the next. The first run starts at a random time within the interval, so that instances take turns.
 */
export async function regularly (interval: number, signal: AbortSignal, task: () => Promise<void>): Promise<void> {
  let next = Math.ceil(interval * Math.random())
  while (await delay(next, true, { signal, ref: false }).catch(() => false)) {
    await task()
    next = interval
  }
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
  call: () => Result | Promise<Result>, { milliseconds, timeoutError, signal }: Limits
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(timeoutError(milliseconds)), milliseconds)
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted) onAbort()
    try {
      Promise.resolve(call()).then(result => { end(); resolve(result) }, fail)
    } catch (error) {
      fail(error)
    }

    function onAbort (): void {
      fail(signal?.reason)
    }

    function fail (error: unknown): void {
      end()
      reject(error)
    }

    function end (): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
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
}

/**
 * Reads the body of a request into memory, within limits of size and time. After an error the rest is ignored, and the
 * stream stays open: the request is answered through the same connection.
 */
export async function readBody (
  payload: Readable, { limit, tooLarge, cutOff, ...timeLimits }: BodyRules
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let ignoreRest = () => {}
  try {
    return await withTimeout(() => new Promise<Buffer>((resolve, reject) => {
      let size = 0
      const take = (chunk: Buffer): void => {
        size += chunk.length
        if (size > limit) return reject(tooLarge())
        chunks.push(chunk)
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

/** A map with at most `max` entries. Setting one more drops the entry that was set longest ago. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number

  constructor (max: number) {
    super()
    this.#max = max
  }

  override set (key: Key, value: Value): this {
    this.delete(key) // a Map keeps the position of a key that is set again
    super.set(key, value)
    if (this.size > this.#max) this.delete(this.keys().next().value!)
    return this
  }
}

interface Rate {
  /** What a key can spend at once. */
  readonly amount: number
  /** Milliseconds within which all of it comes back, bit by bit. */
  readonly interval: number
}

interface Balance {
  readonly left: number
  /** Milliseconds, by the monotonic clock. */
  readonly at: number
  readonly refused: number
}

/** More keys are only in use if somebody makes them up. */
const MAX_KEYS = 10_000

/**
 * Bounds what clients can cause as often as they like, such as log lines or work. Taking returns the milliseconds to
 * wait, 0 if it may be done now, and how often the key was refused since it was last allowed.
 */
export function createLimiter ({ amount, interval }: Rate) {
  const balances = new BoundedMap<string, Balance>(MAX_KEYS)

  return function take (key: string, cost = 1): { readonly wait: number, readonly refused: number } {
    const now = performance.now()
    const { left, at, refused } = balances.get(key) ?? { left: amount, at: now, refused: 0 }
    const available = Math.min(amount, left + (now - at) / interval * amount)
    const wait = Math.max(0, (cost - available) / amount * interval)
    if (wait > 0) balances.set(key, { left: available, at: now, refused: refused + 1 })
    else balances.set(key, { left: available - cost, at: now, refused: 0 })
    return { wait, refused }
  }
}
