import type { Clock } from '../../types/clock.js'

export const systemClock: Clock = {
  now: Date.now,
  setTimer (milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  }
}

/** Somebody took too long. */
export class TimeoutError extends Error {
  constructor (milliseconds: number) {
    super(`No answer within ${milliseconds} ms`)
  }
}

/** The only source of time in the document server. */
export interface Time {
  now (): number
  /** Whole seconds, as tokens count. */
  seconds (): number
  /** Does something that a fake clock waits for before it moves on. */
  during<Result> (task: () => Promise<Result>): Promise<Result>
  /** Lets the time pass within `during`. Resolves early when the signal is aborted. */
  pause (milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Lets the time pass outside of it: nothing is under way meanwhile. Resolves early when the signal is aborted. */
  wait (milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Lets the time pass although something is under way: that waits for this. Resolves early when the signal is aborted. */
  hold (milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Runs a task with a signal that is aborted when it takes longer. */
  limited<Result> (milliseconds: number, signal: AbortSignal, task: (signal: AbortSignal) => Promise<Result>): Promise<Result>
}

export function createTime (clock: Clock): Time {
  let underWay = 0
  const work = (change: 1 | -1, times = 1) => {
    underWay += change * times
    for (let time = 0; time < times; time++) clock.work?.(change)
  }

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
    now: () => clock.now(),
    seconds: () => Math.floor(clock.now() / 1000),
    wait,
    async during (task) {
      work(1)
      try {
        return await task()
      } finally {
        work(-1)
      }
    },
    async pause (milliseconds, signal) {
      work(-1)
      try {
        await wait(milliseconds, signal)
      } finally {
        work(1)
      }
    },
    async hold (milliseconds, signal) {
      const held = Math.max(underWay, 0)
      work(-1, held)
      try {
        await wait(milliseconds, signal)
      } finally {
        work(1, held)
      }
    },
    async limited (milliseconds, signal, task) {
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
