/** What the host answered to a callback. */
export interface CallbackResult {
  /** Status of the callback, 1 to 7; `null` when there was nothing to send. */
  readonly status: number | null
  /** HTTP status of the last answer; `null` without one. */
  readonly httpStatus: number | null
  /** Body of the last answer: parsed when it is JSON, else its text; `null` without one. */
  readonly answer: unknown
  /** HTTP 200 and JSON with an `error` of 0, or of what JavaScript takes for 0 (`"0"`, `""`, `false`, `[]`): all that counts as done. */
  readonly accepted: boolean
}

export interface EditorUser {
  readonly id: string
  readonly name: string
  readonly viewOnly: boolean
}

/** What an editor is told, in the order it is told. */
export type EditorEvent =
  /** It is in, together with these. `hasForgotten`: it edits the content of a save that the host had refused. */
  | { readonly type: 'joined', readonly users: readonly EditorUser[], readonly hasForgotten: boolean }
  /** The document is shown. `outdated`: this key was saved a short while ago and is shown for reading only. */
  | { readonly type: 'ready', readonly outdated: boolean }
  /** Changes that were made before it opened and have not been saved. */
  | { readonly type: 'unsavedChanges', readonly count: number }
  /** Somebody came or left. */
  | { readonly type: 'users', readonly users: readonly EditorUser[] }
  /** Somebody else changed the document. */
  | { readonly type: 'changed', readonly userId: string }
  /** To who asked for it; by the timer, to all who edit. `code` 4: there is nothing new, or it is being saved already. */
  | { readonly type: 'forceSaveStarted', readonly code?: 4 }
  /** To all who edit, unless the command service asked for it. */
  | { readonly type: 'forceSaved', readonly accepted: boolean }
  /** The document was saved after everybody had left; those who left hear of it as long as they are connected. */
  | { readonly type: 'saved', readonly accepted: boolean }
  | { readonly type: 'warning', readonly code?: number, readonly message: string }
  /** The document could not be opened. */
  | { readonly type: 'failed', readonly code: number }
  /** The host gave the document another title. */
  | { readonly type: 'renamed', readonly title: string }
  /** The host ended this editor. */
  | { readonly type: 'dropped' }
  /** The connection was cut. */
  | { readonly type: 'disconnected' }

export type EventOf<Type extends EditorEvent['type']> = Extract<EditorEvent, { readonly type: Type }>

export interface ForceSaveOptions {
  /** What asks for it: the editor's button (default), the command service, the server's timer, a submitted form. */
  readonly type?: 'button' | 'command' | 'timer' | 'form'
  /** Handed on to the callback. */
  readonly userdata?: string
  /** What was filled into a form: JSON at the callback's `formsdataurl`. */
  readonly formData?: unknown
}

export interface MailMerge {
  readonly from: string
  readonly subject: string
  /** Title of the message's attachment. */
  readonly title: string
  readonly message: string
  /** How the record is sent: 0 as HTML (default), 1 as a docx attachment, 2 as a PDF attachment. */
  readonly type?: 0 | 1 | 2
  /** Address of each record. */
  readonly recipients: readonly string[]
}

/** One editor in one document, as a browser would be. */
export interface Session {
  readonly key: string
  readonly userId: string
  /** Nothing can be edited and no callback is sent: view mode, no permission, or the key was saved minutes ago. */
  readonly viewOnly: boolean
  /** All it was told so far. */
  readonly events: readonly EditorEvent[]
  /** The next event of a type that this has not given before; waits for it. */
  event<Type extends EditorEvent['type']>(type: Type): Promise<EventOf<Type>>
  /** The bytes as they would be saved now. */
  content (): Promise<Buffer>
  /**
   * Replaces the content. Text: of a text format as it is, of a docx one paragraph a line. Bytes: whatever they are.
   * The same content again changes nothing. `fileType` is the format of the bytes when it is not the opened one.
   */
  edit (content: string | Uint8Array, options?: { readonly fileType?: string }): Promise<void>
  /**
   * A status 6, or 7 when the document can't be built. Resolves when the host has answered; `status: null` when none is sent: without
   * a new change, unless it is a form, while an equal one is under way, where nobody has a callbackUrl, or when nobody edits any
   * longer once it is put together.
   */
  forceSave (options?: ForceSaveOptions): Promise<CallbackResult>
  /** Sends one status 5 for each record, one after the other. */
  mailMerge (mail: MailMerge): Promise<readonly CallbackResult[]>
  /**
   * Resolves when the host has accepted a save, finished or forced, of everything edited in the document so far;
   * at once when it has. Rejects when a finished save was refused for good: the document server keeps it.
   */
  saved (): Promise<CallbackResult>
  /**
   * Leaves: 4 when nothing was changed, 2 after a change, 1 while others stay. Resolves when the host has answered,
   * retries included, or when the 2 is called off because somebody edits again: with the last answer, or `status: null` before one.
   * `abrupt` cuts the connection instead: the 2 follows after 5 s, and this does not wait for it.
   */
  close (options?: { readonly abrupt?: boolean }): Promise<CallbackResult>
  /** Cuts the connection, as a network would. What was edited is saved 5 s later unless somebody is there by then. */
  disconnect (): Promise<void>
  /** Comes back after `disconnect()`. Rejects with code 4008 when the document has been saved in between, or just is. */
  reconnect (): Promise<void>
}
