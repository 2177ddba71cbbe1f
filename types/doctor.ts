/** One check of the doctor. */
export interface DoctorFinding {
  /**
   * Stable identifier of the finding for programs, such as `SECRET_INBOX`. A check that finds nothing wrong has a code,
   * too. docs/doctor.md lists the codes.
   */
  readonly code: string
  /**
   * `ok`: nothing is wrong. `warning`: it works, but you should change something. `error`: documents cannot be opened
   * or saved. `skipped`: the check could not run; `evidence` says why.
   */
  readonly status: 'ok' | 'warning' | 'error' | 'skipped'
  /** What was checked, in a few words. */
  readonly title: string
  /** What the check saw, as plain text without secrets, tokens and query strings. */
  readonly evidence: string
  /** How to fix it: which setting to change, and where. Absent if nothing is wrong. */
  readonly remedy?: string
}

/** What the doctor found. */
export interface DoctorReport {
  /** `true` if no finding is an `error` and every check has finished in time. */
  readonly healthy: boolean
  /** In the order of the checks. */
  readonly findings: readonly DoctorFinding[]
  /** When the examination started, in ISO 8601. */
  readonly startedAt: string
  /** Duration of the examination in milliseconds. */
  readonly durationMs: number
}

/** Options of `app.editorDoctor()`. */
export interface DoctorOptions {
  /**
   * Also explains why this document does not open or is not saved, based on what the handler has seen since the
   * application started.
   */
  readonly fileId?: string | undefined
  /**
   * Milliseconds after which unfinished checks are reported as skipped. Simultaneous calls share one examination, with
   * the `timeout` of the first.
   *
   * @default 60_000
   */
  readonly timeout?: number | undefined
  /** Cancels the examination: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}
