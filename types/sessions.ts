import type { SignalOptions } from './conversions.js'

/** A document that is being edited. */
export interface EditorSession {
  /** The edited document. */
  readonly fileId: string
  /** Document key of the session. */
  readonly key: string
  /**
   * When the document server last reported the session, accurate to a tenth of `timeouts.session`. Absent if it is
   * unclear whether the session still exists: the plugin then asks the document server before another user joins.
   */
  readonly lastReported?: Date
  /** Set if the document is frozen. */
  readonly frozen?: true
}

/** Why a document is frozen. */
export interface DocumentFreeze {
  readonly fileId: string
  /** Who froze it: the `by` of `freeze`. */
  readonly by: string
  /** Shown to users. */
  readonly reason?: string
  readonly since: Date
  /** When it expires. Absent if it does not expire. */
  readonly until?: Date
}

/** A freeze that the caller holds. */
export interface HeldDocumentFreeze extends DocumentFreeze {
  /** Ends this freeze, like `EditorSessions.release`. */
  release (): Promise<boolean>
}

/** Options of `EditorSessions.freeze`. */
export interface FreezeOptions extends SignalOptions {
  /**
   * Who freezes the document, at most 100 characters. If several have frozen a document, it stays frozen until each
   * freeze was released or has expired. Freezing again with the same name replaces its `reason` and `duration`.
   *
   * @default ''
   */
  readonly by?: string | undefined
  /** Shown to users who open the document, at most 500 characters. */
  readonly reason?: string | undefined
  /**
   * Milliseconds after which the freeze expires, by the option `clock`.
   *
   * @default the freeze does not expire
   */
  readonly duration?: number | undefined
  /**
   * Milliseconds to wait for the sessions to end and to be saved.
   *
   * @default 30_000
   */
  readonly timeout?: number | undefined
}

/** Options of `EditorSessions.list`. */
export interface ListSessionsOptions {
  /**
   * Whether to read the records of all files, instead of only the files that this instance knows to be edited. With
   * `fileStorage` it takes about one second for 1,000 files, half of it in pauses. Only one scan runs at a time; other
   * calls wait for it.
   *
   * @default false
   */
  readonly scan?: boolean | undefined
  /** Cancels the call: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The live sessions: documents that users are editing. `list` covers all files; every other method covers all sessions
 * of one file. Usually a file has one session; it may have more after it was changed from outside. Sessions at another
 * document server that edits the same files are not included.
 *
 * For a file that has no session or does not exist, results are empty.
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
   * Resolves to the live sessions of all files that this instance knows: it handled a callback of the session, or
   * somebody opened the file here. It remembers the 10,000 files that were used last, and sees what other instances did
   * to their sessions. To find sessions that this instance has not seen, because it started later or other instances
   * handle them, use `scan`; afterwards it knows them. Does not contact the document server.
   *
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): an option is unknown or has the wrong type.
   * @throws StorageTimeoutError (`FST_EDITOR_STORAGE_TIMEOUT`): the storage did not finish in time.
   * @throws the storage's own error, or the reason of `signal`.
   */
  list (options?: ListSessionsOptions): Promise<EditorSession[]>

  /**
   * Resolves to the live sessions of one file, and to its freezes, oldest first. Does not contact the document server.
   *
   * @throws UnknownRecordError (`FST_EDITOR_UNKNOWN_RECORD`): a newer version of this library wrote its record.
   * @throws the storage's own error.
   */
  get (fileId: string): Promise<{ readonly sessions: EditorSession[], readonly freezes: DocumentFreeze[] }>

  /**
   * Keeps everybody from editing a file until it is released or `duration` is over, on all instances that share the
   * storage: for a WebDAV lock, a legal hold, a migration. Whoever opens it meanwhile views it and sees the reason.
   * Live sessions are saved, and their editors are closed, viewers' too; the pages show the reason.
   *
   * Resolves when nobody edits the file any more and the last save is stored. From then on only the application changes
   * the file: saves that arrive later, also through recovery, are stored as conflict copies. Whatever the `timeout`,
   * editors get 1.5 seconds to send what was typed last. The document server is asked about sessions that it may not
   * have reported. If this rejects with anything but `FileNotFoundError` or `InvalidOptionError`, the file may still be
   * frozen, with sessions that go on: call it again, or `release`. Call it again after a crash, too.
   *
   * Until this resolves, saves of sessions that began earlier are stored in the file. If somebody joins later, with an
   * old page, their editor is closed at once. What they typed until then is stored as a conflict copy
   * (`conflict.reason` `'frozen'`), even after the release, and nobody else joins that session. Restoring a version
   * rejects with `LockedError`. `app.editorStorage` can still replace the file. If the file is deleted, so is the
   * freeze.
   *
   * @throws FileNotFoundError (`FST_EDITOR_FILE_NOT_FOUND`): there is no such file.
   * @throws BeingEditedError (`FST_EDITOR_BEING_EDITED`): the file is frozen, but was still being edited after
   *   `timeout`.
   * @throws BusyError (`FST_EDITOR_BUSY`): `freeze` was called in a hook that a callback of this file waits for; or the
   *   freeze was released, or `duration` was over, before its sessions had ended; or the last save was refused or never
   *   arrived, and only the document server has it. In this last case the file is frozen, and `recoverForgotten()`
   *   stores that save in the file until a repeated call resolves.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): an option has the wrong type, or 16 others have frozen
   *   the file.
   * @throws as `users` does (`FST_EDITOR_COMMAND_FAILED`, `FST_EDITOR_UPSTREAM`, `FST_EDITOR_UPSTREAM_TIMEOUT`).
   * @example
   * ```js
   * const freeze = await app.editorSessions.freeze('report', { by: 'migration', reason: 'The archive is moving.' })
   * await copyToNewHome('report').finally(freeze.release)
   * ```
   */
  freeze (fileId: string, options?: FreezeOptions): Promise<HeldDocumentFreeze>

  /**
   * Ends the freeze of `by`, whoever calls. Resolves to whether there was one.
   *
   * @experimental
   * @throws the storage's own error.
   */
  release (fileId: string, by?: string): Promise<boolean>

  /**
   * Resolves to the IDs of the users who are editing a file now, each once, without viewers.
   *
   * Asks the document server, which sends the application a callback before it answers: do not await this in the hook
   * `onCallback`. It may take minutes if the application answers that callback slowly; pass a `signal` to limit it. A
   * session that the document server no longer knows is ended. Source: emulator/docs/document-server-protocol.md#info
   *
   * @throws CommandFailedError (`FST_EDITOR_COMMAND_FAILED`): the document server refused the command.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`), UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): the document
   *   server gave no usable answer.
   * @throws the storage's own error, or the reason of `signal`.
   */
  users (fileId: string, options?: SignalOptions): Promise<string[]>

  /**
   * Closes the editors of these users of a file, or of all users. They see an error message; their changes are saved
   * when the last editor has closed. They can open the file again, unless the application refuses. Resolves to the
   * document keys for which the command was sent. Source: emulator/docs/document-server-protocol.md#drop-and-meta
   *
   * @param users IDs of users. By default everybody is dropped; with an empty list nobody.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `users` is not a list of strings.
   * @throws as `users` does (`FST_EDITOR_COMMAND_FAILED`, `FST_EDITOR_UPSTREAM`, `FST_EDITOR_UPSTREAM_TIMEOUT`).
   * @example
   * ```js
   * await app.editorSessions.drop('report', ['7'])
   * ```
   */
  drop (fileId: string, users?: readonly string[], options?: SignalOptions): Promise<string[]>

  /**
   * Changes the title that open editors of a file show. It is not stored: also pass the new title to `openDocument`
   * from now on. Resolves to the document keys for which the command was sent. Source:
   * emulator/docs/document-server-protocol.md#drop-and-meta
   *
   * @param title 1 to 255 characters, not only whitespace.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `title` is invalid.
   * @throws as `users` does (`FST_EDITOR_COMMAND_FAILED`, `FST_EDITOR_UPSTREAM`, `FST_EDITOR_UPSTREAM_TIMEOUT`).
   */
  rename (fileId: string, title: string, options?: SignalOptions): Promise<string[]>

  /**
   * Deletes a document that people may be editing. It freezes the document first, so that everybody's work is saved and
   * their editors are closed, and then removes it from the storage, with its record and versions. Resolves to whether
   * the document existed.
   *
   * If this rejects, the document still exists and is not frozen by this call; but after `StorageTimeoutError` it may
   * still be deleted later. If the document server saves something afterwards, from a page that was open, that becomes
   * a forgotten file, and `onForgotten` receives it.
   *
   * @throws LockedError (`FST_EDITOR_LOCKED`): somebody else has frozen it.
   * @throws StorageTimeoutError (`FST_EDITOR_STORAGE_TIMEOUT`): the storage did not finish in time.
   * @throws as `freeze` does, except `FileNotFoundError`.
   * @example
   * ```js
   * await app.editorSessions.delete('report', { reason: 'Grace is deleting this document.' })
   * ```
   */
  delete (fileId: string, options?: Omit<FreezeOptions, 'by' | 'duration'>): Promise<boolean>
}

/** Somebody began to edit a document that nobody was editing. */
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
   * - `discarded`: there was nothing to store, or the changes are lost, because of `policies.corrupted: 'discard'` or
   *   `policies.missingFile: 'acknowledge'`.
   * - `refused`: its save was refused, and the document server keeps it. The session starts again when somebody opens
   *   the document.
   * - `lost`: the document server no longer knows the session, or the file had too many sessions to remember this one.
   */
  readonly reason: 'saved' | 'unchanged' | 'discarded' | 'refused' | 'lost'
  /** IDs of the users who changed the document last, if the document server said so. */
  readonly users?: readonly string[]
}
