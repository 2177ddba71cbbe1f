import { performance } from 'node:perf_hooks'

export type StoreTime = ReturnType<ReturnType<typeof createStoreTime>['now']>

/** Slower responses do not count for the store's time, because they may have been delayed after they were made. */
const MAX_ROUND_TRIP_MS = 2000

/**
 * The time of the store from the `Date` headers of its answers, because the clocks of the instances may be wrong.
 * Between two answers, one local clock may be set, and the other may stand still while the machine is suspended.
 */
export function createStoreTime () {
  let atLastAnswer = { store: Date.now(), wall: Date.now(), monotonic: performance.now() }

  return {
    /**
     * Milliseconds since 1970. The true time of the store lies between the two, unless one clock fails in the direction
     * of the other.
     */
    now () {
      const { store, wall, monotonic } = atLastAnswer
      const passed = [Date.now() - wall, performance.now() - monotonic]
      return { earliest: store + Math.min(...passed), latest: store + Math.max(...passed) }
    },

    /** `sentAt`: a time of `performance.now()`. */
    answered (dateHeader: string | undefined, sentAt: number): void {
      const date = Date.parse(dateHeader ?? '')
      const monotonic = performance.now()
      // The header has whole seconds.
      if (!Number.isNaN(date) && monotonic - sentAt < MAX_ROUND_TRIP_MS) {
        atLastAnswer = { store: date + 500, wall: Date.now(), monotonic }
      }
    }
  }
}
