/** A callback as the document server sent it. In the `secure` profile these are the signed claims. */
export interface CallbackEvent {
  readonly fileId: string
  /**
   * 1 editing, 2 finished and to be saved, 3 could not be assembled, 4 closed unchanged, 5 mail merge, 6 force save,
   * 7 force save failed; others may come.
   */
  readonly status: number
  readonly key?: string
  readonly url?: string
  /** Format of the bytes at `url`, which may differ from the format that was opened. */
  readonly filetype?: string
  readonly users?: readonly string[]
  readonly userdata?: string
  /** When the document was changed last, ISO 8601. */
  readonly lastsave?: string
  /** 0 command, 1 button, 2 timer, 3 form submitted. */
  readonly forcesavetype?: number
  /** Nothing was changed since the last accepted force save. */
  readonly notmodified?: boolean
  /** Every other field, unchecked. */
  readonly [field: string]: unknown
}

/** A save that is durably stored. */
export interface SavedEvent {
  readonly fileId: string
  readonly status: 2 | 6
  readonly key?: string
  readonly extension: string
  /** Bytes. */
  readonly size: number
  readonly revision: string
  readonly users?: readonly string[]
}
