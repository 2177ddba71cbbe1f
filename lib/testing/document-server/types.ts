import type { FastifyInstance, FastifyServerOptions } from 'fastify'

export interface DocumentServerOptions {
  /** The secret shared with the host: checks what comes in, signs what goes out. In a list the first signs, all verify. */
  readonly jwtSecret: string | readonly string[]
  /** Fastify's logger. Default: none. */
  readonly logger?: FastifyServerOptions['logger']
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
  /** Default 0: a free port. */
  readonly port?: number
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** Address at which hosts and browsers reach this server, when it is not the one it listens at. */
  readonly publicUrl?: string
  /** Path of `soffice`; `false` never uses it. Default: `soffice` of the PATH, if there is one. */
  readonly libreOffice?: string | false
}

/** The configuration as handed to `DocsAPI.DocEditor`, its token included. What the token signs overrides the rest. */
export interface EditorConfig {
  readonly document?: {
    readonly key?: string | undefined
    readonly url?: string | undefined
    readonly title?: string | undefined
    readonly fileType?: string | undefined
    readonly permissions?: object | undefined
  } | undefined
  readonly editorConfig?: {
    readonly callbackUrl?: string | undefined
    readonly mode?: string | undefined
    readonly lang?: string | undefined
    readonly user?: { readonly id?: string | undefined, readonly name?: string | undefined } | undefined
  } | undefined
  readonly token?: string | undefined
}

/** What the host answered to a callback. */
export interface CallbackResult {
  /** Status of the callback: 1, 2, 4 or 6; `null` when there was nothing to send. */
  readonly status: number | null
  /** HTTP status of the answer; `null` without one. */
  readonly httpStatus: number | null
  /** Body of the answer: parsed when it is JSON, else its text; `null` without one. */
  readonly answer: unknown
}

/** One editor in one document, as a browser would be. */
export interface Session {
  readonly key: string
  readonly userId: string
  /** Nothing can be edited and no callback is sent: view mode, no permission, or the key was saved minutes ago. */
  readonly viewOnly: boolean
  /** The bytes as they would be saved now. */
  content (): Promise<Buffer>
  /**
   * Replaces the content. Text: of a text format as it is, of a docx one paragraph a line. Bytes: whatever they are.
   * The same content again changes nothing. `fileType` is the format of the bytes when it is not the opened one.
   */
  edit (content: string | Uint8Array, options?: { readonly fileType?: string }): Promise<void>
  /** The editor's save button: a status 6. Resolves when the host has answered; `status: null` without a change to save. */
  forceSave (options?: { readonly userdata?: string }): Promise<CallbackResult>
  /** Leaves: 4 when nothing was changed, 2 after a change, 1 while others stay. Resolves when the host has answered. */
  close (): Promise<CallbackResult>
}

/** One request the document server made, with what it was answered. */
export interface HostRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The JSON that was sent. */
  readonly body: Readonly<Record<string, unknown>> | null
  /** `null` until there is one, and when there was none. */
  answer: { readonly status: number, readonly body: unknown } | null
  /** Why there was no answer. */
  error?: Error
}

export interface DocumentServerMembers {
  /** Where it is reached, without a slash at the end. */
  readonly url: string
  /** Address of its `api.js`: the plugin's option `editorApiUrl`. */
  readonly editorApiUrl: string
  /** All requests it made, in the order they were sent. */
  readonly requests: readonly HostRequest[]
  /** Files whose save the host refused, by document key. */
  readonly forgotten: ReadonlyMap<string, { readonly fileType: string, readonly bytes: Uint8Array }>
  /** Opens a document as a browser would. Rejects with a `DocumentServerError` whose `code` is the one an editor is shown. */
  open (config: EditorConfig): Promise<Session>
}

/** A listening document server: a Fastify instance. `close()` saves and leaves all sessions first. */
export type DocumentServer = FastifyInstance & DocumentServerMembers
