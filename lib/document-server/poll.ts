import { setTimeout as delay } from 'node:timers/promises'
import type { AwaitOptions, ConvertOptions } from '../../types/conversions.js'
import { ConversionTimeoutError } from '../errors.js'
import { AnyFunction, assertOptions, Milliseconds, type Rules, Signal } from '../util/validate.js'

const DEFAULT_TIMEOUT_MS = 2 * 60_000
const DEFAULT_INTERVAL_MS = 1000

const awaitRules: Rules<AwaitOptions> = {
  timeout: Milliseconds,
  interval: Milliseconds,
  signal: Signal
}
export const convertRules: Rules<ConvertOptions> = { ...awaitRules, onProgress: AnyFunction }

/** Throws `InvalidOptionError`. */
export function assertAwaitOptions (options: AwaitOptions): void {
  assertOptions(awaitRules, options)
}

/** Throws `InvalidOptionError`. */
export function assertConvertOptions (options: ConvertOptions): void {
  assertOptions(convertRules, options)
}

interface Awaiting extends AwaitOptions {
  /** Names what is awaited in the error message. */
  readonly work: string
  readonly closing: AbortSignal
}

/**
 * Asks for a result until there is one. Rejects with `ConversionTimeoutError`, with the reason of one of the signals,
 * or as `ask` does.
 */
export async function awaitResult<Result> (
  ask: (signal: AbortSignal) => Promise<Result | undefined>,
  awaiting: Awaiting
): Promise<Result> {
  const { work, timeout = DEFAULT_TIMEOUT_MS, interval = DEFAULT_INTERVAL_MS, signal: callerSignal, closing } = awaiting
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(new ConversionTimeoutError(work, `${timeout} ms`)), timeout)
  const signal = AbortSignal.any([deadline.signal, closing, ...(callerSignal ? [callerSignal] : [])])
  try {
    for (let requests = 0; ; requests++) {
      signal.throwIfAborted()
      const result = await ask(signal)
      if (result !== undefined) return result
      await pause(Math.min(interval, interval / 8 * 2 ** requests), signal)
    }
  } catch (error) {
    deadline.abort(error) // ends requests that are still open
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Rejects with the signal's reason; `delay` alone would reject with an `AbortError`. */
export async function pause (milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(milliseconds, undefined, signal && { signal }).catch(() => {})
  signal?.throwIfAborted()
}
