/** One check of the doctor. */
export interface DoctorFinding {
  /**
   * Identifies what was found, such as `SECRET_INBOX`: stable, for programs. A check that finds nothing wrong has a
   * code, too. docs/doctor.md lists the codes.
   */
  readonly code: string
  /**
   * `ok`: nothing is wrong. `warning`: it works, but something should be changed. `error`: documents cannot be opened
   * or saved. `skipped`: it could not be checked; `evidence` says why.
   */
  readonly status: 'ok' | 'warning' | 'error' | 'skipped'
  /** What was checked, in a few words. */
  readonly title: string
  /** What was seen, in plain text, without secrets, tokens and query strings. */
  readonly evidence: string
  /** How to fix it: which setting to change, and where. Absent if nothing is wrong. */
  readonly remedy?: string
}

/** What the doctor found. */
export interface DoctorReport {
  /** Whether no finding is an `error`, and every check has finished in time. */
  readonly healthy: boolean
  /** In the order of the checks. */
  readonly findings: readonly DoctorFinding[]
  /** When the examination started, in ISO 8601. */
  readonly startedAt: string
  /** How long it took, in milliseconds. */
  readonly durationMs: number
}

/** Options of `app.editorDoctor()`. */
export interface DoctorOptions {
  /**
   * Also explains why this document does not open or is not saved, from what the handler has seen since the application
   * started.
   */
  readonly fileId?: string | undefined
  /**
   * Milliseconds after which checks that have not finished are reported as skipped. Of calls at the same time, which
   * share one examination, that of the first counts.
   *
   * @default 60_000
   */
  readonly timeout?: number | undefined
  /** Cancels the examination: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}
