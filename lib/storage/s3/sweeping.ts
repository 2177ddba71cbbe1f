// In a module of its own: what applications import must not need the types of the schemas.

export interface SweepOptions {
  /**
   * Milliseconds: younger objects stay. Content that is being stored, or waits to be published, must be younger.
   *
   * @default 86_400_000, one day
   */
  readonly olderThan?: number
  /** Ends the sweep early; `sweep` then rejects with its reason. */
  readonly signal?: AbortSignal
}

/** What a sweep has deleted. */
export interface SweepResult {
  readonly objects: number
  readonly bytes: number
  /** Multipart uploads that were not completed. */
  readonly uploads: number
}
