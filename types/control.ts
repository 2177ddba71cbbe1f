import type { Config, DocumentNormal, EditorConfigNormal } from '@onlyoffice/doceditor-types'
import type { Content } from './storage.js'

/** The configuration `DocsAPI.DocEditor` takes, with its token. */
export type SignedConfig = Omit<Config, 'events'> & Required<Pick<Config, 'document' | 'editorConfig' | 'token'>>

type DocumentDefaults = Omit<DocumentNormal, 'key' | 'url' | 'title' | 'fileType'>
type EditorDefaults = Omit<EditorConfigNormal, 'callbackUrl'>

/**
 * Anything the editor's configuration knows. `user`, `lang`, `mode`, `customization` and the rest of `editorConfig`,
 * and `permissions`, `info`, `referenceData` of `document`, may stand at the top level for short.
 * What depends on the opened document (key, url, title, file type, callback URL) is set by the control.
 */
export interface EditorControlDefaults extends EditorDefaults, Pick<DocumentDefaults, 'permissions' | 'info' | 'referenceData'> {
  readonly type?: 'desktop' | 'mobile' | 'embedded'
  /** CSS width of the editor. Default `100%`. */
  readonly width?: string
  /** CSS height of the editor. Default `100%`. */
  readonly height?: string
  readonly document?: DocumentDefaults
  readonly editorConfig?: EditorDefaults
}

export interface OpenDocumentOptions {
  /** The title shown in the editor. Default: the fileId and the stored extension. */
  readonly name?: string
}

export interface ConvertToPdfOptions {
  /** How often the document server is asked. Default 15. */
  readonly maxAttempts?: number
  /** Milliseconds between two attempts. Default 1000. */
  readonly delayMs?: number
  readonly signal?: AbortSignal
}

/** One document in one page. Make one for each page: `app.editorControl()`. */
export interface EditorControl {
  documentName: string
  /** Identifies content and editing session at the document server: `[0-9A-Za-z._=-]`, at most 128 characters. */
  documentKey: string
  /** Where the document server fetches the document. That of a stored one is signed, and good for `downloadUrlLifetime`. */
  documentUrl: string
  /**
   * Where the document server posts editing events. That of a stored document is signed for the keys of this library; with
   * a `documentKey` set by hand, `config` has one that is signed for that key.
   */
  callbackUrl: string
  /** True when `documentUrl`, `documentName` and `documentKey` are all more than white space. */
  readonly hasDocument: boolean
  /**
   * Lets this page fetch through the proxy action: send it in the header `x-editor-proxy-token`, with the `fileId` of the
   * stored document in the query. Good for `downloadUrlLifetime`; made anew at every access; `''` without a document.
   */
  readonly proxyToken: string
  /** The signed configuration, or `null` without a document. Built and signed at every access. */
  readonly config: SignedConfig | null
  /** `config` as JSON; the text `null` without a document. */
  readonly configJson: string

  /** Opens a stored document. Rejects with `FST_EDITOR_FILE_NOT_FOUND`. Resolves to the control itself. */
  openDocument (fileId: string, options?: OpenDocumentOptions): Promise<EditorControl>

  /**
   * Stores bytes or a stream as a new document and opens it. Resolves to the new fileId.
   * `name` must end in an extension, else `FST_EDITOR_INVALID_NAME`.
   */
  setDocumentFromBytes (content: Content, name: string): Promise<string>

  /**
   * Has the document server convert the document to PDF.
   * Rejects with `FST_EDITOR_NO_DOCUMENT`, `FST_EDITOR_CONVERSION_TIMEOUT` after exactly `maxAttempts` requests,
   * `FST_EDITOR_CONVERSION_FAILED` with the value of the document server's error, or what the HTTP client rejects with.
   */
  convertToPdf (options?: ConvertToPdfOptions): Promise<Buffer>

  /** The page fragment: no inline script, safe to place in any HTML page. */
  render (): string
}
