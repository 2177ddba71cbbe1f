import type { Config, DocumentNormal, EditorConfigNormal } from '@onlyoffice/doceditor-types'
import type { Content } from './storage.js'

/**
 * The signed configuration for `new DocsAPI.DocEditor(id, config)`. The payload of `token` is this object without `token`.
 * Source: docs/document-server-protocol.md#the-configuration-and-its-token
 */
export type SignedConfig = Omit<Config, 'events'> & Required<Pick<Config, 'document' | 'editorConfig' | 'token'>>

type DocumentDefaults = Omit<DocumentNormal, 'key' | 'url' | 'title' | 'fileType'>
type EditorDefaults = Omit<EditorConfigNormal, 'callbackUrl'>

/**
 * Any part of the editor's configuration that does not depend on the opened document: key, URL, title, file type and callback URL
 * are set by the control. Fields of `editorConfig` (`user`, `lang`, `mode`, `customization` and so on) and `permissions`,
 * `info` and `referenceData` of `document` may be given at the top level; there they take precedence.
 */
export interface EditorControlDefaults extends EditorDefaults, Pick<DocumentDefaults, 'permissions' | 'info' | 'referenceData'> {
  /** The editor's layout. By default the editor decides. */
  readonly type?: 'desktop' | 'mobile' | 'embedded'
  /**
   * CSS width of the editor inside its fragment.
   *
   * @default '100%'
   */
  readonly width?: string
  /**
   * CSS height of the editor inside its fragment.
   *
   * @default '100%'
   */
  readonly height?: string
  /** Fields of `document`, as in the editor's documentation. */
  readonly document?: DocumentDefaults
  /** Fields of `editorConfig`, as in the editor's documentation. `mode` is `'edit'` by default. */
  readonly editorConfig?: EditorDefaults
}

/** Options of `EditorControl.openDocument`. */
export interface OpenDocumentOptions {
  /**
   * Title shown in the editor.
   *
   * @default the fileId and the stored extension: `report.docx`
   */
  readonly name?: string
}

/** Options of `EditorControl.convertToPdf`. */
export interface ConvertToPdfOptions {
  /**
   * How many times the document server is asked for the result; at least 1.
   *
   * @default 15
   */
  readonly maxAttempts?: number
  /**
   * Milliseconds between two attempts; at least 0.
   *
   * @default 1000
   */
  readonly delayMs?: number
  /** Cancels the conversion: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/**
 * One document in one page. `app.editorControl(defaults)` creates a control; create one for every page.
 *
 * @example
 * ```js
 * app.get('/edit/:fileId', async (request, reply) => {
 *   const control = app.editorControl({ user: { id: '7', name: 'Ada' } })
 *   await control.openDocument(request.params.fileId, { name: 'Report.docx' })
 *   return reply.type('text/html').send(`<!doctype html><title>Report</title>${control.render()}`)
 * })
 * ```
 */
export interface EditorControl {
  /** Title shown in the editor. Set by `openDocument` and `setDocumentFromBytes`, `''` before; may be assigned. */
  documentName: string
  /**
   * Identifies the content and its editing session at the document server: 1 to 128 characters of `[0-9A-Za-z._=-]`. Set by
   * `openDocument` and `setDocumentFromBytes`, `''` before; may be assigned. The editor does not open with an invalid key.
   * Source: docs/document-server-protocol.md#the-document-key
   */
  documentKey: string
  /**
   * URL from which the document server downloads the document. Set by `openDocument` and `setDocumentFromBytes`, `''` before;
   * may be assigned. With `signedUrls` it is valid for `downloadUrlLifetime`.
   */
  documentUrl: string
  /**
   * URL to which the document server posts callbacks. Set by `openDocument` and `setDocumentFromBytes`, `''` before; may be
   * assigned. With `signedUrls` it is signed for the keys that the plugin creates for this file; if `documentKey` was assigned,
   * `config` contains a URL that is signed for that key instead.
   */
  callbackUrl: string
  /** Whether a document is open: `documentUrl`, `documentName` and `documentKey` are all more than whitespace. */
  readonly hasDocument: boolean
  /**
   * Lets this page use the proxy action: a request sends it in the header `x-editor-proxy-token`, and the `fileId` of the opened
   * document in the query. Valid for `downloadUrlLifetime`. Created anew at every access; `''` without a document.
   */
  readonly proxyToken: string
  /** The signed configuration, or `null` without a document. Created and signed anew at every access. */
  readonly config: SignedConfig | null
  /** `config` as JSON; without a document, the string `null`. */
  readonly configJson: string

  /**
   * Opens a stored document. Resolves to this control.
   *
   * @throws FileNotFoundError (`FST_EDITOR_FILE_NOT_FOUND`): no stored file has this ID.
   * @throws StorageTimeoutError (`FST_EDITOR_STORAGE_TIMEOUT`): the storage did not finish in time when the session was
   * looked up.
   * @throws the storage's own error, when a call of it fails.
   */
  openDocument (fileId: string, options?: OpenDocumentOptions): Promise<EditorControl>

  /**
   * Stores a new document and opens it. Resolves to its `fileId`. `maxFileSize` does not apply.
   *
   * @param name Title shown in the editor. The document is stored under its extension.
   * @throws InvalidNameError (`FST_EDITOR_INVALID_NAME`): `name` does not end in an extension of 1 to 16 letters or digits.
   * @throws StorageTimeoutError (`FST_EDITOR_STORAGE_TIMEOUT`): the document is stored, but the storage did not finish in time
   * while the session was looked up.
   * @throws the error of `content`, after which nothing is stored, or the storage's own error, when a call of it fails.
   * @example
   * ```js
   * const control = app.editorControl()
   * const fileId = await control.setDocumentFromBytes(request.raw, 'Report.docx')
   * ```
   */
  setDocumentFromBytes (content: Content, name: string): Promise<string>

  /**
   * Has the document server convert the document at `documentUrl` to PDF, without unsaved changes. Resolves to the PDF.
   *
   * Each request is limited by `timeouts.total`, the conversion as a whole by `maxAttempts` and `signal`.
   * Source: docs/document-server-protocol.md#conversion
   *
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`): no document is open.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `maxAttempts` or `delayMs` is invalid.
   * @throws ConversionTimeoutError (`FST_EDITOR_CONVERSION_TIMEOUT`): the conversion was not finished after `maxAttempts`
   * requests.
   * @throws ConversionFailedError (`FST_EDITOR_CONVERSION_FAILED`): the document server reported an error, which the message
   * explains, or its response or the result cannot be used.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`): a request failed, was truncated, or was answered with a status other than 200.
   * @throws UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): a request exceeded one of the `timeouts`.
   * @throws AddressBlockedError (`FST_EDITOR_ADDRESS_BLOCKED`): the PDF is at an origin or IP address that is not allowed.
   * @throws TooLargeError (`FST_EDITOR_TOO_LARGE`): the PDF exceeds `maxFileSize`, or a response of the conversion service 1 MiB.
   * @throws the reason of `signal`, once it is aborted.
   * @throws the storage's own error, when looking up the stored file fails.
   * @example
   * ```js
   * const control = await app.editorControl().openDocument('report')
   * const pdf = await control.convertToPdf({ signal: AbortSignal.timeout(60_000) })
   * ```
   */
  convertToPdf (options?: ConvertToPdfOptions): Promise<Buffer>

  /**
   * Returns the HTML fragment that becomes the editor: an element with the configuration as data, and the script element of the
   * module that mounts the editor. It contains no inline script and can be inserted into the body of any page. Without a document
   * no editor is mounted.
   *
   * @example
   * ```js
   * reply.type('text/html').send(`<!doctype html><title>Report</title>${control.render()}`)
   * ```
   */
  render (): string
}
