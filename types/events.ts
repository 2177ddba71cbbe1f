// Callbacks of the document server. Source: emulator/docs/document-server-protocol.md#callbacks

import type { EditorErrorCode } from './errors.js'

/** What a user did. */
export interface CallbackAction {
  /** 0: left. 1: joined. 2: pressed the save button. */
  readonly type: 0 | 1 | 2
  /** `editorConfig.user.id` of the user. */
  readonly userid: string
}

/** The authors of the changes in a save. */
export interface CallbackHistory {
  /** Build of the document server. */
  readonly serverVersion?: string
  /** A new entry starts each time the author changes. */
  readonly changes?: ReadonlyArray<{
    /** Hash that the document server reports with the changes. */
    readonly documentSha256?: string
    /** UTC, such as `2026-11-20 15:12:59`. */
    readonly created?: string
    /** The author. */
    readonly user?: { readonly id?: string, readonly name?: string }
  }>
}

/** Fields of every callback. */
interface CallbackFields {
  /** The edited document, from the callback URL. */
  readonly fileId: string
  /** Document key of the session. */
  readonly key?: string
  /** `userdata` of the command that caused the callback. */
  readonly userdata?: string
  /** All other fields, not validated. */
  readonly [field: string]: unknown
}

/** Fields of a callback with an assembled document. */
interface Assembled {
  /** Extension of the file at `url`, in lower case. It may differ from the format that was opened. */
  readonly filetype?: string
  /**
   * URL of the file at the document server; valid for 15 minutes. Do not fetch it: its beginning comes from request
   * headers of whoever opened the document last, a viewer too, so it may name another file or be no URL at all. The
   * plugin uses only its end. Source: emulator/docs/document-server-protocol.md#the-urls-in-a-callback
   */
  readonly url?: string
  /**
   * URL of a zip file with the changes in the editor's own format; valid for 15 minutes. Do not fetch it, as with
   * `url`.
   */
  readonly changesurl?: string
  /** Who changed the document since the previous save. */
  readonly history?: CallbackHistory
}

/** Fields of a callback about a changed document. */
interface Changed {
  /** IDs of the users who changed the document last. */
  readonly users?: readonly string[]
  /** Who left last or pressed the save button. */
  readonly actions?: readonly CallbackAction[]
  /** When the document was last changed, in ISO 8601. */
  readonly lastsave?: string
}

/** Fields of a callback about a force save. */
interface Forced {
  /**
   * The cause of the force save: 0 the command, 1 the save button, 2 the document server's timer, 3 a submitted form.
   */
  readonly forcesavetype?: number
}

/**
 * Status 1: a user joined or left, or the command `info` was sent.
 * Source: emulator/docs/document-server-protocol.md#coming-and-going-1-and-4
 */
export interface EditingEvent extends CallbackFields {
  readonly status: 1
  /** IDs of the users who are editing; empty if only unsaved changes are left. */
  readonly users?: readonly string[]
  /** Who joined or left; absent after the command `info`. */
  readonly actions?: readonly CallbackAction[]
}

/**
 * Status 2: the last editor left, and the document must be saved. Source:
 * emulator/docs/document-server-protocol.md#saved-2-and-3
 */
export interface FinishedEvent extends CallbackFields, Assembled, Changed {
  readonly status: 2
  /** Whether nothing was changed since the last force save that was accepted. */
  readonly notmodified?: boolean
}

/**
 * Status 3: the document server could not assemble the edited document. The file at `url`, if any, is corrupted.
 * Source: emulator/docs/document-server-protocol.md#saved-2-and-3
 */
export interface CorruptedEvent extends CallbackFields, Assembled, Changed {
  readonly status: 3
  /** As for status 2. */
  readonly notmodified?: boolean
}

/**
 * Status 4: the last editor left and nothing was changed. Source:
 * emulator/docs/document-server-protocol.md#coming-and-going-1-and-4
 */
export interface ClosedEvent extends CallbackFields {
  readonly status: 4
  /** Who left; absent after the command `info`. */
  readonly actions?: readonly CallbackAction[]
}

/**
 * Status 5: one record of a mail merge. The plugin does not store it. Source:
 * emulator/docs/document-server-protocol.md#mail-merge-5
 */
export interface MailMergeEvent extends CallbackFields, Assembled {
  readonly status: 5
  /** IDs of users, as the document server sent them. */
  readonly users?: readonly string[]
  /** Data of the mail merge, not validated. */
  readonly mailMerge?: Readonly<Record<string, unknown>>
}

/**
 * Status 6: the document must be saved while editing continues. Source:
 * emulator/docs/document-server-protocol.md#forced-6-and-7
 */
export interface ForceSavedEvent extends CallbackFields, Assembled, Changed, Forced {
  readonly status: 6
  /** URL of the data of a submitted form. Do not fetch it, as with `url`. */
  readonly formsdataurl?: string
}

/**
 * Status 7: the document server could not assemble a force save. Source:
 * emulator/docs/document-server-protocol.md#forced-6-and-7
 */
export interface ForceSaveFailedEvent extends CallbackFields, Changed, Forced {
  readonly status: 7
}

/**
 * A callback of the document server; `status` determines its fields. With `requireToken` the fields come from the
 * document server's token. A known field is left out if its type is wrong, or if it is longer than the document server
 * ever sends it. A callback with an unknown status is passed on unchanged. The object is frozen.
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
  /** Identifies this save. Stays the same when the document server repeats it. */
  readonly id: string
  /** The edited document. */
  readonly fileId: string
  /** 2: the session ended with this save. 6: a force save. */
  readonly status: 2 | 6
  /** Document key of the session; absent if the callback had none, and for a restored version. */
  readonly key?: string
  /** What is stored: in the edited document, or in its conflict copy. */
  readonly stored: {
    readonly fileId: string
    /** In lower case, without a dot. */
    readonly fileType: string
    /** Bytes. */
    readonly size: number
    readonly revision: string
  }
  /** Present if the save is stored in a conflict copy and the edited document is unchanged. */
  readonly conflict?: {
    /**
     * `changed`: someone else changed the document during the session. `format`: another document already has the name
     * that this one would get in its new format. `frozen`: somebody opened the document for editing although it was
     * frozen.
     */
    readonly reason: 'changed' | 'format' | 'frozen'
  }
  /** Name of the rule that decided where to store the save: see docs/saves.md#rules. Absent for a restored version. */
  readonly rule?: string
  /** IDs of the users who changed the document last. */
  readonly users?: readonly string[]
  /** Present if `recoverForgotten` stored it from a forgotten file. */
  readonly recovered?: true
  /** Number of the version, if this is a restored version instead of an editor's save. */
  readonly restored?: number
}

/** A field of a submitted form, as the document server describes it. */
export interface FormField {
  /** Key of the field, or of the group of radio buttons. */
  readonly key?: string
  readonly tag?: string
  /** `text`, `checkBox`, `picture`, `comboBox`, `dropDownList`, `dateTime`, `radio` and others. */
  readonly type?: string
  /** What the user entered. */
  readonly value?: string | boolean
  /** Not validated, but never an object. */
  readonly [field: string]: unknown
}

/** A form that a user has filled in and submitted. Source: emulator/docs/document-server-protocol.md#forced-6-and-7 */
export interface FormSubmittedEvent {
  /**
   * Identifies these answers of this user. Stays the same when the document server repeats them, also to another
   * instance; changes once the user changes an answer.
   */
  readonly id: string
  /** The form that was opened. */
  readonly fileId: string
  /** Document key of the session; absent only if the callback had none. */
  readonly key?: string
  /**
   * The user who submitted it, as the document server reports: `editorConfig.user.id`. Only a claim: everybody who sees
   * the document can submit a form, viewers too, with any answers.
   */
  readonly user?: { readonly id: string }
  /** The answers: at most 10,000 fields in 16 MiB (16,777,216 bytes) of JSON, with pictures as text. */
  readonly data: readonly FormField[]
  /** The filled form. It has arrived in full and can be read several times, until the hook has finished. */
  readonly pdf: AsyncIterable<Uint8Array>
  /** Format of the filled form, in lower case and without a dot: `pdf`, or for older forms `oform` or `docxf`. */
  readonly fileType: string
  /** Bytes of the filled form. */
  readonly size: number
}

/**
 * A save that was refused. The document server keeps it: a finished save as a forgotten file, a force save with its
 * session. Source: emulator/docs/document-server-protocol.md#forgotten-files
 */
export interface SaveFailedEvent {
  /** The edited document. */
  readonly fileId: string
  /** 2: the session ended with this save. 6: a force save. */
  readonly status: 2 | 6
  /** Document key of the session; absent only if the callback had none. */
  readonly key?: string
  /** Code of `error`: `FST_EDITOR_…`, a system error such as `ENOSPC`, or `UNKNOWN` if it has none. */
  readonly code: EditorErrorCode | (string & {})
  /** Why the save was refused. */
  readonly error: Error
  /** IDs of the users who changed the document last. */
  readonly users?: readonly string[]
}

/**
 * A forgotten file of a document that no longer exists.
 * Source: emulator/docs/document-server-protocol.md#forgotten-files
 */
export interface ForgottenFileEvent {
  /** Document key of the session. */
  readonly key: string
  /** The document that was edited and has been deleted. */
  readonly fileId: string
  /** Format of the bytes, in lower case and without a dot. */
  readonly fileType: string
  /** Bytes of the content. */
  readonly size: number
  /** When the document server wrote it, if it says so. */
  readonly writtenAt?: Date
  /** The content; it can be read until the hook has finished. */
  readonly content: AsyncIterable<Uint8Array>
}
