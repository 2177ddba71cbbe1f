import type { RequestOptions } from './requests.js'

/** A document that is being edited. */
export interface EditorSession {
  /** The edited document. */
  readonly fileId: string
  /** Document key of the session. */
  readonly key: string
  /**
   * When the document server last reported the session, to a tenth of `timeouts.session`. Absent if that is in doubt:
   * the document server is asked before another user joins.
   */
  readonly lastReported?: Date
}

/** Options of `EditorSessions.list`. */
export interface ListSessionsOptions {
  /**
   * Whether to read the records of all files, one after the other, instead of only those that this instance knows to be
   * edited. It needs a storage with `state.list`, or without `state`. With `fileStorage` it takes about a second for
   * 1,000 files, half of it pauses. One call reads at a time; the others wait for it.
   *
   * @default false
   */
  readonly scan?: boolean
  /** Cancels the call: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/**
 * The live sessions: documents that users are editing. `app.editorSessions` has one method for all files; the others
 * are about one file and act on all its sessions. Usually there is one; there may be more after the file was changed
 * from outside. Sessions at another document server that edits the same files are not included.
 *
 * If a file has no session, or does not exist, the result is empty.
 *
 * @example
 * ```js
 * for (const { fileId } of await app.editorSessions.list()) {
 *   console.log(fileId, await app.editorSessions.users(fileId))
 * }
 * ```
 */
export interface EditorSessions {
  /**
   * Resolves to the live sessions of all files that this instance knows to be edited: it has handled a callback of the
   * session, or somebody has opened the file here. It knows the 10,000 files that were used last. What other instances
   * did to these sessions counts. Sessions that this instance has not seen, because it was started later or because
   * other instances handle them, are found with `scan`; afterwards it knows them. The document server is not asked.
   *
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `scan` is set and the storage has `state` without
   *   `state.list`.
   * @throws StorageTimeoutError (`FST_EDITOR_STORAGE_TIMEOUT`): the storage did not finish in time.
   * @throws the storage's own error, or the reason of `signal`.
   */
  list (options?: ListSessionsOptions): Promise<EditorSession[]>

  /**
   * Resolves to the IDs of the users who are editing a file now, each once; viewers are not included. The document
   * server is asked, and calls back before it answers: in the hook `onCallback`, do not wait for it. If the application
   * is slow to answer that callback, this may take minutes; pass a `signal` to limit it. A session that the document
   * server no longer knows is given up. Source: docs/document-server-protocol.md#info
   *
   * @throws CommandFailedError (`FST_EDITOR_COMMAND_FAILED`): the document server refused to answer.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`), UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): it gave no
   *   usable answer.
   * @throws the storage's own error, or the reason of `signal`.
   */
  users (fileId: string, options?: RequestOptions): Promise<string[]>

  /**
   * Tells the editors of a file to close: those of these users, or all. They get an error message; their changes are
   * saved when the last editor has closed. Nothing keeps them from opening the file again. Resolves to the document
   * keys that the command was sent for. Source: docs/document-server-protocol.md#drop-and-meta
   *
   * @param users IDs of users. By default all users are dropped, with an empty list nobody.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `users` is not a list of strings.
   * @throws as `users` does.
   * @example
   * ```js
   * await app.editorSessions.drop('report', ['7'])
   * ```
   */
  drop (fileId: string, users?: readonly string[], options?: RequestOptions): Promise<string[]>

  /**
   * Shows the current editors of a file another title. Nothing is stored: pass the new title to `openDocument` as
   * `name` from now on. Resolves to the document keys that the command was sent for. Source:
   * docs/document-server-protocol.md#drop-and-meta
   *
   * @param title 1 to 255 characters, not only whitespace.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `title` is something else.
   * @throws as `users` does.
   */
  rename (fileId: string, title: string, options?: RequestOptions): Promise<string[]>
}

/** Somebody began to edit a document. */
export interface SessionStartEvent {
  /** The edited document. */
  readonly fileId: string
  /** Document key of the session. */
  readonly key: string
  /** IDs of the users who are editing, if the document server said so. */
  readonly users?: readonly string[]
}

/** Nobody edits a document any more. */
export interface SessionEndEvent {
  /** The edited document. */
  readonly fileId: string
  /** Document key of the session. */
  readonly key: string
  /**
   * - `saved`: its changes are stored, in the file or in a conflict copy.
   * - `unchanged`: nothing was changed.
   * - `discarded`: there was nothing to store, or the changes are lost: with `policies.corrupted` `'discard'`, or with
   *   `policies.missingFile` `'acknowledge'`.
   * - `refused`: its save was refused. The document server keeps it. When the document is opened again, the session
   *   starts again.
   * - `lost`: the document server no longer knows the session, or the file has too many sessions to remember this one.
   */
  readonly reason: 'saved' | 'unchanged' | 'discarded' | 'refused' | 'lost'
  /** IDs of the users who changed the document last, if the document server said so. */
  readonly users?: readonly string[]
}
