/** The application's answer to a callback. */
export interface CallbackResult {
  /** The status of the callback, 1 to 7; `null` when none was sent. */
  readonly status: number | null
  /** The HTTP status of the last answer; `null` without an answer. */
  readonly httpStatus: number | null
  /** The body of the last answer: parsed if it is JSON, else a string; `null` without an answer. */
  readonly answer: unknown
  /**
   * True for HTTP 200 with JSON whose `error` equals 0 by JavaScript's `==`: `0`, `"0"`, `""`, `false` or `[]`. Nothing
   * else is accepted.
   */
  readonly accepted: boolean
}

/** A user who has the document open. */
export interface EditorUser {
  readonly id: string
  readonly name: string
  readonly viewOnly: boolean
}

/** An event of an editor. */
export type EditorEvent =
  /**
   * The editor has joined; `users` includes it. `hasForgotten`: it edits a forgotten file, the content of a refused
   * save.
   */
  | { readonly type: 'joined', readonly users: readonly EditorUser[], readonly hasForgotten: boolean }
  /** The document is loaded. `outdated`: its key was saved a short while ago, so it is view-only. */
  | { readonly type: 'ready', readonly outdated: boolean }
  /** The document has unsaved changes from before this editor joined. */
  | { readonly type: 'unsavedChanges', readonly count: number }
  /** A user joined or left. */
  | { readonly type: 'users', readonly users: readonly EditorUser[] }
  /** Another user changed the document. */
  | { readonly type: 'changed', readonly userId: string }
  /**
   * Sent to the editor that requested the force save, or to all who edit if the timer did. `code` 4: nothing is new, or
   * the save is already under way.
   */
  | { readonly type: 'forceSaveStarted', readonly code?: 4 }
  /** Sent to all who edit, except for a force save by the command service. */
  | { readonly type: 'forceSaved', readonly accepted: boolean }
  /** The document was saved after everybody had left. Sent to those who left as long as they are connected. */
  | { readonly type: 'saved', readonly accepted: boolean }
  | { readonly type: 'warning', readonly code?: number, readonly message: string }
  /**
   * The document could not be loaded, or the editor did something without the right to, and was disconnected (4004).
   */
  | { readonly type: 'failed', readonly code: number, readonly description?: string }
  /** The application changed the title. */
  | { readonly type: 'renamed', readonly title: string }
  /** The application dropped this editor. */
  | { readonly type: 'dropped' }
  /** The connection was cut. */
  | { readonly type: 'disconnected' }

export type EventOf<Type extends EditorEvent['type']> = Extract<EditorEvent, { readonly type: Type }>

export interface ForceSaveOptions {
  /**
   * What requests the save: the editor's button, the command service, the server's timer or a submitted form.
   *
   * @default 'button'
   */
  readonly type?: 'button' | 'command' | 'timer' | 'form'
  /** Copied to the callback. */
  readonly userdata?: string
  /**
   * The data of a submitted form: any JSON, served at the callback's `formsdataurl`. It is not checked: viewers can
   * submit, too, and any document.
   */
  readonly formData?: unknown
}

/** One editor with one document open, as in a browser. */
export interface Session {
  /** The document key. */
  readonly key: string
  readonly userId: string
  /**
   * Whether the document can't be edited, and the session causes no callbacks: because of view mode, a missing
   * permission, or a key that was saved minutes ago.
   */
  readonly viewOnly: boolean
  /** All events so far. */
  readonly events: readonly EditorEvent[]
  /** Resolves to the next event of a type. Each event is returned once. */
  nextEvent<Type extends EditorEvent['type']>(type: Type): Promise<EventOf<Type>>
  /** The document's bytes as they would be saved now. */
  content (): Promise<Buffer>
  /**
   * Replaces the content. A string becomes the text of a text file, or the paragraphs of a docx, one per line. Bytes
   * replace the whole file; `fileType` is their format if it differs from the opened one. Equal content changes
   * nothing.
   *
   * @throws {DocumentServerError} code 4007: the application dropped this editor; 4004: it is view-only, and the
   *   document server has disconnected it.
   * @throws {TypeError} if the session is closed, or if the format can't hold a string.
   */
  edit (content: string | Uint8Array, options?: { readonly fileType?: string }): Promise<void>
  /**
   * Starts a force save: posts a 6, or a 7 if the document can't be assembled. Resolves to the application's answer.
   * Its `status` is `null` if nothing was posted: there is no new change (a form needs none), an equal force save is
   * under way, nobody has a callback URL, or no editor is left when the document is assembled (for a form: the
   * document has been saved for good, or is being saved).
   *
   * @throws {DocumentServerError} code 4007: the application dropped this editor.
   * @throws {TypeError} if the session is closed.
   */
  forceSave (options?: ForceSaveOptions): Promise<CallbackResult>
  /**
   * Resolves when the application has accepted a save, finished or forced, that contains all edits of the document so
   * far; at once if it already has.
   *
   * @throws {Error} if a finished save was refused and is kept as a forgotten file, or if the changes were lost in a
   *   crash.
   * @throws {TypeError} if nothing was edited.
   */
  saved (): Promise<CallbackResult>
  /**
   * Leaves the document. The callback is a 1 while others stay, a 2 after a change, else a 4. Resolves to the
   * application's answer after all retries. If an editor joins and so cancels the 2, resolves to its last answer so
   * far, or with `status: null`.
   *
   * `abrupt` cuts the connection instead: the 2 follows after 5 s, and `close` does not wait for it.
   */
  close (options?: { readonly abrupt?: boolean }): Promise<CallbackResult>
  /**
   * Cuts the connection, like a network failure. Unsaved changes are saved after 5 s unless an editor is present by
   * then.
   */
  disconnect (): Promise<void>
  /**
   * Comes back after `disconnect()`.
   *
   * @throws {DocumentServerError} code 4008: the document has been saved since, or is being saved.
   */
  reconnect (): Promise<void>
}
