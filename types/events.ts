/** Somebody came (1), left (0) or pressed the save button (2). */
export interface CallbackAction {
  readonly type: 0 | 1 | 2
  readonly userid: string
}

/** Who changed what between two versions. */
export interface CallbackHistory {
  readonly serverVersion?: string
  readonly changes?: ReadonlyArray<{
    readonly documentSha256?: string
    /** UTC, as `2026-11-20 15:12:59`. */
    readonly created?: string
    readonly user?: { readonly id?: string, readonly name?: string }
  }>
}

interface CallbackFields {
  readonly fileId: string
  readonly key?: string
  readonly userdata?: string
  /** Every other field, unchecked. */
  readonly [field: string]: unknown
}

interface Assembled {
  /** Format of the bytes at `url`, which may differ from the format that was opened. */
  readonly filetype?: string
  readonly url?: string
  /** The editor's own record of the changes, a zip file. */
  readonly changesurl?: string
  readonly history?: CallbackHistory
}

interface Changed {
  /** Who changed the document last. */
  readonly users?: readonly string[]
  readonly actions?: readonly CallbackAction[]
  /** When the document was changed last, ISO 8601. */
  readonly lastsave?: string
}

/** Who asked for a force save: 0 command, 1 button, 2 timer, 3 form submitted. */
interface ByForce {
  readonly forcesavetype?: number
}

/** 1: somebody came or left, or the document server was asked who is there. */
export interface EditingEvent extends CallbackFields {
  readonly status: 1
  /** Who is there; empty when only unsaved changes are left. */
  readonly users?: readonly string[]
  readonly actions?: readonly CallbackAction[]
}

/** 2: everybody has left, the document is to be saved. */
export interface FinishedEvent extends CallbackFields, Assembled, Changed {
  readonly status: 2
  /** Nothing was changed since the last accepted force save. */
  readonly notmodified?: boolean
}

/** 3: the document could not be assembled; with a `url`, what came out of it is corrupted. */
export interface CorruptedEvent extends CallbackFields, Assembled, Changed {
  readonly status: 3
  readonly notmodified?: boolean
}

/** 4: everybody has left and nothing was changed. */
export interface ClosedEvent extends CallbackFields {
  readonly status: 4
  readonly actions?: readonly CallbackAction[]
}

/** 5: one record of a mail merge. */
export interface MailMergeEvent extends CallbackFields, Assembled {
  readonly status: 5
  readonly users?: readonly string[]
  readonly mailMerge?: Readonly<Record<string, unknown>>
}

/** 6: the document is to be saved while it is edited. */
export interface ForceSavedEvent extends CallbackFields, Assembled, Changed, ByForce {
  readonly status: 6
  /** What was filled into a form that was submitted. */
  readonly formsdataurl?: string
}

/** 7: a force save could not be assembled. */
export interface ForceSaveFailedEvent extends CallbackFields, Changed, ByForce {
  readonly status: 7
}

/**
 * A callback as the document server sent it, told apart by `status`. In the `secure` profile these are the signed claims.
 * A field that says something else than its type is left out. A status unknown here is passed on as it is.
 */
export type CallbackEvent =
  | EditingEvent
  | FinishedEvent
  | CorruptedEvent
  | ClosedEvent
  | MailMergeEvent
  | ForceSavedEvent
  | ForceSaveFailedEvent

/** A save that is durably stored. */
export interface SavedEvent {
  /** Of this save. After a crash the same event may come once more, with the same id. */
  readonly id: string
  /** The document that was edited. */
  readonly fileId: string
  /** 2 finished, 6 force save. */
  readonly status: 2 | 6
  readonly key?: string
  readonly extension: string
  /** Bytes. */
  readonly size: number
  readonly revision: string
  readonly users?: readonly string[]
  /** The file can't take what was edited: it is stored as `conflictFileId`. `extension`, `size` and `revision` are of that. */
  readonly conflict?: true
  readonly conflictFileId?: string
  /** `changed`: someone else has changed the file during the session. `format`: another document has the name it would have in its new format. */
  readonly conflictReason?: 'changed' | 'format'
}

/** A save that was refused for good: the document server keeps it, as a forgotten file if it is a finished one. */
export interface SaveFailedEvent {
  readonly fileId: string
  /** 2 finished, 6 force save. */
  readonly status: 2 | 6
  readonly key?: string
  /** Of the error: one of this library's, or the system's, such as `ENOSPC`. */
  readonly code: string
  /** Its message says what to change. */
  readonly error: Error
  readonly users?: readonly string[]
}
