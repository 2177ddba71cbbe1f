// Separate from sweep.ts, whose types need TypeBox: applications import these types, and do not have it.

export interface SweepOptions {
  /**
   * Milliseconds: younger objects stay. Content that is being stored, or waits to be published, must be younger.
   *
   * @default 86_400_000, one day
   */
  readonly olderThan?: number
  /** Ends the sweep early; `sweep` then rejects with the reason of the signal. */
  readonly signal?: AbortSignal
}

/** What a sweep has deleted: number and size of objects, and number of uploads. */
export interface SweepResult {
  readonly objects: number
  readonly bytes: number
  /** Multipart uploads that were not completed. */
  readonly uploads: number
}
