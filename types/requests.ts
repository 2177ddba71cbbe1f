/** Options of a single request to the document server. */
export interface RequestOptions {
  /** Cancels the request: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
}
