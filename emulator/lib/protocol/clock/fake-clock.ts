import type { FakeClock, FakeClockOptions } from '../../../types/clock.js'

type Timer = Readonly<{ at: number, callback: () => void }>

/**
 * A clock that stands still until a test advances it.
 *
 * @example
 * const clock = fakeClock()
 * const documentServer = await createDocumentServer({ jwtSecret, clock })
 * await clock.advance(5000)
 */
export function fakeClock ({ start = Date.now(), autoAdvance = false }: FakeClockOptions = {}): FakeClock {
  const timers = new Set<Timer>()
  let now = start
  let underWay = 0
  let settled: Array<() => void> = []

  /** The earliest timer; among timers of the same time, the one set first. */
  function next (until: number): Timer | undefined {
    let found: Timer | undefined
    for (const timer of timers) {
      if (timer.at <= until && (found === undefined || timer.at < found.at)) found = timer
    }
    return found
  }

  function fire (timer: Timer): void {
    timers.delete(timer)
    now = Math.max(now, timer.at)
    timer.callback()
  }

  /** Resolves when nothing is under way, even after pending callbacks have run. */
  async function settle (): Promise<void> {
    if (underWay > 0) await new Promise<void>(resolve => settled.push(resolve))
    await new Promise<void>(resolve => setImmediate(resolve))
    if (underWay > 0) await settle()
  }

  let jumping = false
  function jump (): void {
    if (!autoAdvance || jumping) return
    jumping = true
    settle().then(() => {
      jumping = false
      const timer = next(Infinity)
      if (timer === undefined) return
      fire(timer)
      jump()
    })
  }

  return {
    now: () => now,
    setTimer (milliseconds, callback) {
      const timer = { at: now + milliseconds, callback }
      timers.add(timer)
      jump()
      return () => { timers.delete(timer) }
    },
    work (change) {
      underWay += change
      if (underWay > 0) return
      for (const resolve of settled) resolve()
      settled = []
      jump()
    },
    async advance (milliseconds) {
      const until = now + milliseconds
      await settle()
      for (let timer = next(until); timer !== undefined; timer = next(until)) {
        fire(timer)
        await settle()
      }
      now = Math.max(now, until)
    },
    jump (milliseconds) {
      const until = now + milliseconds
      for (let timer = next(until); timer !== undefined; timer = next(until)) fire(timer)
      now = until
    }
  }
}
