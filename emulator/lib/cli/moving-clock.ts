import { fakeClock } from '../protocol/clock/fake-clock.js'
import type { FakeClock } from '../../types/clock.js'

const TICK_MS = 50

/** A fake clock that follows real time and can be advanced. */
export function movingClock (): FakeClock {
  const clock = fakeClock()
  let ahead = 0
  let isAdvancing = false
  setInterval(() => {
    if (!isAdvancing) clock.jump(Math.max(Date.now() + ahead - clock.now(), 0))
  }, TICK_MS).unref()

  return {
    ...clock,
    async advance (milliseconds) {
      ahead += milliseconds
      isAdvancing = true
      try {
        await clock.advance(milliseconds)
      } finally {
        isAdvancing = false
      }
    }
  }
}
