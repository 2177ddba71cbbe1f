import type { Clock } from '../../../types/clock.js'

export const systemClock: Clock = {
  now: Date.now,
  setTimer (milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  }
}

/** An operation exceeded its time limit. */
export class TimeoutError extends Error {
  constructor (milliseconds: number) {
    super(`No answer within ${milliseconds} ms`)
  }
}

export type Time = ReturnType<typeof createTime>

/** The only source of time in the emulator. */
export function createTime (clock: Clock) {
  let underWay = 0
  const work = (change: 1 | -1, times = 1) => {
    underWay += change * times
    for (let time = 0; time < times; time++) clock.work?.(change)
  }

  /** Waits outside of `during`. Resolves early when the signal is aborted. */
  async function wait (milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return
    await new Promise<void>(resolve => {
      const cancel = clock.setTimer(milliseconds, finish)
      function finish (): void {
        signal?.removeEventListener('abort', finish)
        cancel()
        resolve()
      }
      signal?.addEventListener('abort', finish)
    })
  }

  return {
    /** Milliseconds since the epoch. */
    now: () => clock.now(),
    /** Whole seconds since the epoch, as in tokens. */
    seconds: () => Math.floor(clock.now() / 1000),
    wait,
    /** Runs a task. A fake clock waits for its end before it advances. */
    async during<Result> (task: () => Promise<Result>): Promise<Result> {
      work(1)
      try {
        return await task()
      } finally {
        work(-1)
      }
    },
    /** Waits within `during`; meanwhile the fake clock may advance. Resolves early when the signal is aborted. */
    async pause (milliseconds: number, signal?: AbortSignal): Promise<void> {
      work(-1)
      try {
        await wait(milliseconds, signal)
      } finally {
        work(1)
      }
    },
    /**
     * Waits while everything under way depends on this wait: the fake clock may advance. Resolves early when the signal
     * is aborted.
     */
    async hold (milliseconds: number, signal?: AbortSignal): Promise<void> {
      const held = Math.max(underWay, 0)
      work(-1, held)
      try {
        await wait(milliseconds, signal)
      } finally {
        work(1, held)
      }
    },
    /** Runs a task with a signal that is aborted after the time limit. */
    async limited<Result> (
      milliseconds: number,
      signal: AbortSignal,
      task: (signal: AbortSignal) => Promise<Result>
    ): Promise<Result> {
      const late = new AbortController()
      const cancel = clock.setTimer(milliseconds, () => late.abort(new TimeoutError(milliseconds)))
      try {
        return await task(AbortSignal.any([signal, late.signal]))
      } finally {
        cancel()
      }
    }
  }
}
