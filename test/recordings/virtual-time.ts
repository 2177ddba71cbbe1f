import { type Clock, fakeClock } from '../../lib/testing/index.js'

/** Time in milliseconds since the start of a recording, which moves by steps of a size. */
export function virtualTime (start: number, tick: number) {
  const fake = fakeClock({ start })
  let working: Array<() => void> = []
  function worked (): void {
    for (const resolve of working) resolve()
    working = []
  }
  const clock: Clock = {
    now: fake.now,
    setTimer (milliseconds, callback) {
      worked()
      return fake.setTimer(milliseconds, callback)
    },
    work (change) {
      worked()
      fake.work?.(change)
    }
  }
  const now = () => fake.now() - start

  return {
    clock,
    now,
    /** Resolves as soon as the document server takes up something. */
    nextWork: async () => await new Promise<void>(resolve => working.push(resolve)),
    /** Waits for what is under way. */
    async settle (look: () => void): Promise<void> {
      await fake.advance(0)
      look()
    },
    async moveTo (at: number, look: () => void): Promise<void> {
      while (now() < at) {
        await fake.advance(Math.min(tick, at - now()))
        look()
      }
    }
  }
}
