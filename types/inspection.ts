import type { StorageContent } from './storage.js'

/** Content that is about to be stored, and why. It is complete and durable, but not visible yet. */
export interface InspectEvent {
  /** The bytes. Each iteration reads them from the start, until the hook has returned. */
  readonly content: AsyncIterable<Uint8Array>
  /** Bytes. */
  readonly size: number
  /** Format of the bytes, in lower case and without a dot. */
  readonly fileType: string
  /**
   * Why it is about to be stored.
   *
   * `save`: a session ended (status 2). `force-save`: status 6. `recovery`: a forgotten file. `restore`: an earlier
   * version. `upload`: `uploadDocument` with `check`, or `createDocument({ from })` with a file. `copy`: a
   * copy that a page's user saves, or `createDocument({ from })` with a stored document or template.
   */
  readonly reason: 'save' | 'force-save' | 'recovery' | 'restore' | 'upload' | 'copy'
  /** The edited document; of a copy, the one that it was made of. Absent for an upload. */
  readonly fileId?: string
  /** Document key of the session; only for saves and recoveries. */
  readonly key?: string
  /** Number of the version that is being restored. */
  readonly version?: number
  /** IDs of the users who changed the document last, or of the user who restores, uploads or copies; if known. */
  readonly users?: readonly string[]
}

/**
 * `true` stores the content. `reject` refuses it: the stored document stays as it is, and users see `message`, of at
 * most 255 characters, as plain text. `replace` stores these bytes instead, in the same format and of at most
 * `maxFileSize` bytes. `false` counts as a failure of the hook.
 */
export type InspectResult =
  | boolean
  | { readonly reject: true, readonly message: string }
  | {
    /** @experimental */
    readonly replace: StorageContent
  }
