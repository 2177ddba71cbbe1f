import type { FastifyRequest } from 'fastify'
import type { Convert } from './documents/converter/convert.js'
import type { Editable, Operation } from './documents/types.js'
import type { CallbackResult, EditorEvent, ForceSaveOptions } from '../types/session.js'

/**
 * All that the editor page asks of the document server, and hears from it: `page/` imports nothing else of `protocol/`,
 * which knows nothing of the page.
 */
export interface Editing {
  /** Reported in the history of callbacks: the page shows only changes of this version. */
  readonly version: string
  /**
   * Opens a document, or returns to one whose connection was cut. Rejects with a `DocumentServerError`.
   *
   * @param connectionId of the cut connection, even if nobody has noticed yet that it was cut
   */
  open (config: object, connection: Connection, connectionId?: string): Promise<Opened>
  /** Whether data for the page must be signed. */
  readonly needsTokens: boolean
  /** The fields of the token in `data`; without tokens, `data` itself. Throws a `DocumentServerError`. */
  trusted (data: unknown): Fields
  /** @param options.signed whether the request carries a token. Rejects with a `DocumentServerError`. */
  download (url: unknown, fileType: string, options?: { readonly signed?: boolean }): Promise<Uint8Array>
  readonly convert: Convert
  /** Waits or throws as a test has asked for. */
  conversionFault (): Promise<void>
  /** Keeps a file of the document with this key for a while. Returns its path and query. */
  publish (key: string, name: string, bytes: Uint8Array, fileType: string): string
  /** The file at such a path and query, unless it has expired. */
  published (path: string): { readonly bytes: Uint8Array, readonly mediaType: string } | undefined
  /** The URL at which a request has reached the document server. */
  baseUrlOf (request: FastifyRequest): string
  /** Whether a request comes from a page of this document server, or not from a page at all. */
  isOwnPage (request: FastifyRequest): boolean
}

/** How the document server reaches an editor. */
export interface Connection {
  /** The URL at which this connection reached the server. */
  readonly baseUrl: string
  readonly notify: (event: EditingEvent) => void
}

export type EditingEvent =
  | EditorEvent
  /** An edit to be shown by editor pages. */
  | { readonly type: 'operation', readonly operation: Operation, readonly by: string }
  /** The whole content was replaced. `by`: the connection of an editor page that did it. */
  | { readonly type: 'content', readonly by?: string }

export interface Opened {
  readonly editor: PageEditor
  readonly title: string
  readonly lang: string
  /** May take files of the document out of the editor. */
  readonly mayDownload: boolean
  /** May change texts and cells, as far as the session may be changed at all. */
  readonly mayWrite: boolean
}

/** What one page can do with a document. Saving and leaving wait for the edits made before. */
export interface PageEditor {
  readonly document: {
    readonly key: string
    readonly fileType: string
    /** Everybody who has it open, by connection id. */
    readonly participants: ReadonlyMap<string, PageUser>
    /** Whether there are changes that the application has not accepted. */
    isUnsaved (): boolean
  }
  readonly participant: () => PageUser & { readonly baseUrl: string }
  /** The key was saved a short while ago: the document is shown, but editing needs a new key. */
  readonly outdated: boolean
  editable (): Promise<Editable>
  content (): Promise<Uint8Array>
  apply (operation: Operation): Promise<Operation | null>
  /** Inserts a picture, or lines of text, at the end. */
  append (content: Uint8Array | readonly string[]): Promise<void>
  forceSave (options?: ForceSaveOptions): Promise<CallbackResult>
  leave (): Promise<CallbackResult>
  disconnect (): Promise<void>
}

/** A connection: two tabs of one user have two. */
export interface PageUser {
  readonly connectionId: string
  readonly userId: string
  readonly userName: string
  readonly viewOnly: boolean
}

export type Fields = Readonly<Record<string, unknown>>

/** The fields of an object; none for any other value. */
export function fieldsOf (value: unknown): Fields {
  return typeof value === 'object' && value !== null ? value as Fields : {}
}
