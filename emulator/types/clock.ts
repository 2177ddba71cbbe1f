/** The source of time and timers. All times are in milliseconds. */
export interface Clock {
  /** The current time, in milliseconds since the epoch. */
  now (): number
  /** Calls back once after `milliseconds`. Returns a function that cancels the timer. */
  setTimer (milliseconds: number, callback: () => void): () => void
  /**
   * Called with 1 when the document server starts work, and with -1 when it finishes or pauses the work. A fake clock
   * uses it to wait.
   */
  work? (change: 1 | -1): void
}

/** A clock that a test advances. Created by `fakeClock()`. */
export interface FakeClock extends Clock {
  /**
   * Advances the time, timer by timer. Before each timer it waits until the document server has finished its work, so
   * that the work of one timer can set the next. Resolves when everything due by then is done.
   */
  advance (milliseconds: number): Promise<void>
  /** Advances the time at once, without waiting for work under way. Use it to let timeouts pass. */
  jump (milliseconds: number): void
}

export interface FakeClockOptions {
  /**
   * The initial time, in milliseconds since the epoch.
   *
   * @default Date.now()
   */
  readonly start?: number
  /**
   * Jumps to the next timer whenever no work is under way, so that a test never waits for time to pass.
   *
   * @default false
   */
  readonly autoAdvance?: boolean
}
