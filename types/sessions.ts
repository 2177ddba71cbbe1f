import type { SignalOptions } from './conversions.js'

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
  /** The document is frozen. */
  readonly frozen?: true
}

/** Why a document is frozen. */
export interface DocumentFreeze {
  readonly fileId: string
  /** Who froze it, as given to `freeze`. */
  readonly by: string
  /** Shown to users. */
  readonly reason?: string
  readonly since: Date
  /** When it expires. Absent if it does not. */
  readonly until?: Date
}

/** A freeze of the caller. */
export interface HeldDocumentFreeze extends DocumentFreeze {
  /** As `EditorSessions.release`. */
  release (): Promise<boolean>
}

/** Options of `EditorSessions.freeze`. */
export interface FreezeOptions extends SignalOptions {
  /**
   * Names who freezes, at most 100 characters. A document that several have frozen stays so until each has released it
   * or expired. The same one again renews its own: `reason` and `duration` replace the earlier ones.
   *
   * @default ''
   */
  readonly by?: string | undefined
  /** Shown to users who open the document, at most 500 characters. */
  readonly reason?: string | undefined
  /**
   * Milliseconds from now, by the option `clock`.
   *
   * @default it does not expire
   */
  readonly duration?: number | undefined
  /**
   * Milliseconds to wait until the sessions have ended and are saved.
   *
   * @default 30_000
   */
  readonly timeout?: number | undefined
}

/** Options of `EditorSessions.list`. */
export interface ListSessionsOptions {
  /**
   * Whether to read the records of all files, one after the other, instead of only those that this instance knows to be
   * edited. With `fileStorage` it takes about a second for 1,000 files, half of it pauses. One call reads at a time;
   * the others wait for it.
   *
   * @default false
   */
  readonly scan?: boolean | undefined
  /** Cancels the call: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
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
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): an option is unknown or has the wrong type.
   * @throws StorageTimeoutError (`FST_EDITOR_STORAGE_TIMEOUT`): the storage did not finish in time.
   * @throws the storage's own error, or the reason of `signal`.
   */
  list (options?: ListSessionsOptions): Promise<EditorSession[]>

  /**
   * Resolves to the live sessions of one file, and to why it is frozen: oldest first, empty if it is not. The document
   * server is not asked.
   *
   * @throws UnknownRecordError (`FST_EDITOR_UNKNOWN_RECORD`): a newer version of this library has written its record.
   * @throws the storage's own error.
   */
  get (fileId: string): Promise<{ readonly sessions: EditorSession[], readonly freezes: DocumentFreeze[] }>

  /**
   * Lets nobody edit a file until it is released or the time is up, on all instances that share the storage:
   * for a lock of WebDAV, a legal hold, a migration. Whoever opens it meanwhile views it, with the reason. Live
   * sessions are saved, and their editors told to close, viewers too; their pages show the reason.
   *
   * Resolves when nobody edits the file any more and the last save is stored; from then on only the application
   * changes it: whatever the document server saves or recovery finds is stored as a conflict copy. Editors get 1.5
   * seconds in which what was typed last arrives, whatever the `timeout`. The document server is asked about sessions
   * that it may not have reported. If it rejects, other than with `FileNotFoundError` and `InvalidOptionError`, the
   * file may be frozen nevertheless, with sessions that go on: call it again, or `release`. After a crash, call it
   * again, too.
   *
   * Until it resolves, a save of a session that began before is stored in the file. Somebody who joins later, with a
   * page made before, is told to close at once; what was typed until then is stored as a conflict copy
   * (`conflict.reason` `'frozen'`), also after the release, and nobody else joins that session. Restoring a version
   * rejects with `LockedError`. `app.editorStorage` still replaces the file. The freeze is gone with the file.
   *
   * @throws FileNotFoundError (`FST_EDITOR_FILE_NOT_FOUND`): there is no such file.
   * @throws BeingEditedError (`FST_EDITOR_BEING_EDITED`): it is frozen, but was still being edited after `timeout`.
   * @throws BusyError (`FST_EDITOR_BUSY`): called in a hook that a callback of this file waits for;
   *   or it was released, or `duration` was over, before its sessions had ended; or the last save was refused or never
   *   arrived, and is only at the document server: it is frozen, and `recoverForgotten()` stores that save in the
   *   file until a repeated call resolves.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): an option has another type, or 16 others have frozen it.
   * @throws as `users` does (`FST_EDITOR_COMMAND_FAILED`, `FST_EDITOR_UPSTREAM`, `FST_EDITOR_UPSTREAM_TIMEOUT`).
   * @example
   * ```js
   * const freeze = await app.editorSessions.freeze('report', { by: 'migration', reason: 'The archive is moving.' })
   * await copyToNewHome('report').finally(freeze.release)
   * ```
   */
  freeze (fileId: string, options?: FreezeOptions): Promise<HeldDocumentFreeze>

  /**
   * Ends a freeze: of `by`, whoever calls. Resolves to whether there was one.
   *
   * @experimental
   * @throws the storage's own error.
   */
  release (fileId: string, by?: string): Promise<boolean>

  /**
   * Resolves to the IDs of the users who are editing a file now, each once; viewers are not included. The document
   * server is asked, and calls back before it answers: in the hook `onCallback`, do not wait for it. If the application
   * is slow to answer that callback, this may take minutes; pass a `signal` to limit it. A session that the document
   * server no longer knows is given up. Source: emulator/docs/document-server-protocol.md#info
   *
   * @throws CommandFailedError (`FST_EDITOR_COMMAND_FAILED`): the document server refused to answer.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`), UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): it gave no
   *   usable answer.
   * @throws the storage's own error, or the reason of `signal`.
   */
  users (fileId: string, options?: SignalOptions): Promise<string[]>

  /**
   * Tells the editors of a file to close: those of these users, or all. They get an error message; their changes are
   * saved when the last editor has closed. Nothing keeps them from opening the file again. Resolves to the document
   * keys that the command was sent for. Source: emulator/docs/document-server-protocol.md#drop-and-meta
   *
   * @param users IDs of users. By default all users are dropped, with an empty list nobody.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `users` is not a list of strings.
   * @throws as `users` does (`FST_EDITOR_COMMAND_FAILED`, `FST_EDITOR_UPSTREAM`, `FST_EDITOR_UPSTREAM_TIMEOUT`).
   * @example
   * ```js
   * await app.editorSessions.drop('report', ['7'])
   * ```
   */
  drop (fileId: string, users?: readonly string[], options?: SignalOptions): Promise<string[]>

  /**
   * Shows the current editors of a file another title. Nothing is stored: pass the new title to `openDocument`
   * from now on. Resolves to the document keys that the command was sent for. Source:
   * emulator/docs/document-server-protocol.md#drop-and-meta
   *
   * @param title 1 to 255 characters, not only whitespace.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `title` is something else.
   * @throws as `users` does (`FST_EDITOR_COMMAND_FAILED`, `FST_EDITOR_UPSTREAM`, `FST_EDITOR_UPSTREAM_TIMEOUT`).
   */
  rename (fileId: string, title: string, options?: SignalOptions): Promise<string[]>

  /**
   * Deletes a document that people may be editing: freezes it, so that everybody's work is saved and their editors are
   * closed, then removes it from the storage with its record and versions. Resolves to whether it existed.
   *
   * If it rejects, the document is still there, and not frozen by this call; only after `StorageTimeoutError` it may
   * still go. What the document server saves afterwards all the same, from a page that was open, becomes a forgotten
   * file: `onForgotten` gets it.
   *
   * @throws LockedError (`FST_EDITOR_LOCKED`): somebody else has frozen it.
   * @throws StorageTimeoutError (`FST_EDITOR_STORAGE_TIMEOUT`): the storage did not finish in time.
   * @throws as `freeze` does, other than `FileNotFoundError`.
   * @example
   * ```js
   * await app.editorSessions.delete('report', { reason: 'Grace is deleting this document.' })
   * ```
   */
  delete (fileId: string, options?: Omit<FreezeOptions, 'by' | 'duration'>): Promise<boolean>
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
