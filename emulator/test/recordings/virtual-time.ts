import { type Clock, fakeClock } from '../../lib/index.js'

/** The player looks at what has happened in steps of this size. */
export const TICK_MS = 50

// The document server waits ten minutes for an answer.
const LONGEST_WAIT_MS = 1_200_000

/** Time in milliseconds since the start of a recording, which moves by small steps. */
export function virtualTime (start: number) {
  const fake = fakeClock({ start })
  let working: Array<() => void> = []
  let underWay = 0
  function worked (): void {
    for (const resolve of working) resolve()
    working = []
  }
  function work (change: 1 | -1): void {
    underWay += change
    fake.work?.(change)
  }
  const clock: Clock = {
    now: fake.now,
    setTimer (milliseconds, callback) {
      worked()
      return fake.setTimer(milliseconds, callback)
    },
    work (change) {
      worked()
      work(change)
    }
  }
  const now = () => fake.now() - start

  return {
    clock,
    now,
    /** Resolves as soon as the document server takes up something. */
    nextWork: async () => await new Promise<void>(resolve => working.push(resolve)),
    /** Lets the time pass although the document server waits for something that takes so long. */
    async hold (milliseconds: number): Promise<void> {
      const held = underWay
      for (let count = 0; count < held; count++) work(-1)
      await new Promise<void>(resolve => fake.setTimer(milliseconds, resolve))
      for (let count = 0; count < held; count++) work(1)
    },
    /** Waits for what is under way. */
    async settle (look: () => void): Promise<void> {
      await fake.advance(0)
      look()
    },
    async moveTo (at: number, look: () => void): Promise<void> {
      while (now() < at) {
        await fake.advance(Math.min(TICK_MS, at - now()))
        look()
      }
    },
    /** Lets pass what is still waited for, so that nothing hangs on time that stands still. */
    async runOut (): Promise<void> {
      await fake.advance(LONGEST_WAIT_MS)
    }
  }
}

export type VirtualTime = ReturnType<typeof virtualTime>
