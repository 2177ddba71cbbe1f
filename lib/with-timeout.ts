interface Limits {
  readonly milliseconds: number
  /** Makes the error to reject with when the time is up. */
  readonly timeoutError: (milliseconds: number) => Error
  /** Ends the wait early; its reason is what the call then rejects with. */
  readonly signal?: AbortSignal
}

/**
 * Runs a part of a call that has limits of its own: the time limit begins anew when it ends. Rejects, and does not run it, when
 * nobody waits for the call any more.
 */
export type Untimed = <Value>(task: () => Promise<Value>) => Promise<Value>

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
export async function withTimeout<Result> (call: (untimed: Untimed) => Result | Promise<Result>, { milliseconds, timeoutError, signal }: Limits): Promise<Result> {
  let isOver = false
  let startTimer = () => {}
  let stopTimer = () => {}
  let stopWaiting = () => {}
  const giveUp = new Promise<never>((_resolve, reject) => {
    startTimer = () => {
      const timer = setTimeout(() => reject(timeoutError(milliseconds)), milliseconds)
      stopTimer = () => clearTimeout(timer)
    }
    startTimer()
    const onAbort = () => reject(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted) onAbort()
    stopWaiting = () => {
      isOver = true
      stopTimer()
      signal?.removeEventListener('abort', onAbort)
    }
  })
  giveUp.catch(() => {}) // also when `call` throws at once
  async function untimed<Value> (task: () => Promise<Value>): Promise<Value> {
    if (isOver) throw timeoutError(milliseconds)
    stopTimer()
    try {
      return await task()
    } finally {
      if (!isOver) startTimer()
    }
  }
  try {
    return await Promise.race([call(untimed), giveUp])
  } finally {
    stopWaiting()
  }
}
