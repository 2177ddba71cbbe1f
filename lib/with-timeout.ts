interface Limits {
  readonly milliseconds: number
  /** Makes the error to reject with when the time is up. */
  readonly timeoutError: (milliseconds: number) => Error
  /** Ends the wait early; its reason is what the call then rejects with. */
  readonly signal?: AbortSignal
}

/** Waits for a promise, or rejects with the reason of the signal when that is aborted first. */
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

/**
 * Calls code that is not ours, such as a hook or a storage, and stops waiting for it after a time limit: a promise that never
 * settles must not block anybody. The call itself goes on.
 */
export async function withTimeout<Result> (call: () => Result | Promise<Result>, { milliseconds, timeoutError, signal }: Limits): Promise<Result> {
  let stopWaiting = () => {}
  const giveUp = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(timeoutError(milliseconds)), milliseconds)
    const onAbort = () => reject(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted) onAbort()
    stopWaiting = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  })
  giveUp.catch(() => {}) // also when `call` throws at once
  try {
    return await Promise.race([call(), giveUp])
  } finally {
    stopWaiting()
  }
}
