/** What time it is, and timers. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now (): number
  /** Calls back once, after so many milliseconds. Returns what cancels it. */
  setTimer (milliseconds: number, callback: () => void): () => void
  /** Told when the document server takes up work (+1) and when it ends or pauses it (-1): a fake clock waits for the end. */
  work? (change: 1 | -1): void
}

export interface FakeClock extends Clock {
  /**
   * Moves the time on, timer by timer. Before each it waits until what the document server has under way is done,
   * so that what a timer sets off may set the next one. Resolves when everything due by then is done.
   */
  advance (milliseconds: number): Promise<void>
  /** Moves the time on at once, whatever is under way: lets deadlines pass. */
  skip (milliseconds: number): void
}

export interface FakeClockOptions {
  /** Milliseconds since the epoch. Default: now. */
  readonly start?: number
  /** Jumps to the next timer as soon as nothing is under way, so that no test waits. Default false. */
  readonly autoAdvance?: boolean
}
