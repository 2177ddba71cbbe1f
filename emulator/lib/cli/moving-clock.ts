import { fakeClock } from '../clock/fake-clock.js'
import type { FakeClock } from '../../types/clock.js'

const TICK_MS = 50

/** A fake clock on which time passes as it does, and that can be moved ahead of it. */
export function movingClock (): FakeClock {
  const clock = fakeClock()
  let ahead = 0
  let isMoved = false
  setInterval(() => {
    if (!isMoved) clock.skip(Math.max(Date.now() + ahead - clock.now(), 0))
  }, TICK_MS).unref()

  return {
    ...clock,
    async advance (milliseconds) {
      ahead += milliseconds
      isMoved = true
      try {
        await clock.advance(milliseconds)
      } finally {
        isMoved = false
      }
    }
  }
}
