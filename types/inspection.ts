import type { StorageContent } from './storage.js'

/** Content that is about to be stored, and why. It is complete and durable, but not visible yet. */
export interface InspectEvent {
  /** The bytes, readable until the hook has returned. Each iteration starts from the beginning. */
  readonly content: AsyncIterable<Uint8Array>
  /** Size in bytes. */
  readonly size: number
  /** Format of the bytes, in lower case and without a dot. */
  readonly fileType: string
  /**
   * Why the content is about to be stored.
   *
   * `save`: a session ended (status 2). `force-save`: status 6. `recovery`: a forgotten file. `restore`: an earlier
   * version. `upload`: `uploadDocument` with `check`, or `createDocument({ from })` with a file. `copy`: a user of a
   * page saved a copy, or `createDocument({ from })` with a stored document or template.
   */
  readonly reason: 'save' | 'force-save' | 'recovery' | 'restore' | 'upload' | 'copy'
  /** The edited document; for a copy, the original. Absent for an upload. */
  readonly fileId?: string
  /** Document key of the session; only for saves and recoveries. */
  readonly key?: string
  /** Number of the version that is being restored. */
  readonly version?: number
  /**
   * IDs of the users who changed the document last, or of the user who restores, uploads or copies. Absent if unknown.
   */
  readonly users?: readonly string[]
}

/**
 * `true` stores the content. `reject` refuses it: the stored document does not change, and users see `message` (at most
 * 255 characters) as plain text. `replace` stores these bytes instead: same format, at most `maxFileSize` bytes.
 * `false` counts as a failure of the hook.
 */
export type InspectResult =
  | boolean
  | { readonly reject: true, readonly message: string }
  | {
    /** @experimental */
    readonly replace: StorageContent
  }
