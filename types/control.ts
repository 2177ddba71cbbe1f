import type { Config, DocumentNormal, EditorConfigEmbedded, EditorConfigNormal } from '@onlyoffice/doceditor-types'
import type { CreateDocumentOptions, CreateFromOptions } from './blank.js'
import type { ConversionOptions, ConvertOptions, ResultFile, ThumbnailOptions } from './conversions.js'
import type { DocumentHistory, HistoryVersionData, RestoredVersion, RestoreOptions } from './history.js'
import type { EditorMessages } from './messages.js'
import type { DocumentContent, VersionLabel } from './storage.js'

/**
 * The signed configuration for `new DocsAPI.DocEditor(id, config)`. `token` signs all other fields. Source:
 * emulator/docs/document-server-protocol.md#the-configuration-and-its-token
 */
export type SignedConfig = Omit<Config, 'events'> & Required<Pick<Config, 'document' | 'editorConfig' | 'token'>>

/** The editor's own types, in which an optional field may also be `undefined`. */
type Loose<Value> = Value extends readonly unknown[] ? Value : Value extends object ? LooseFields<Value> : Value
type LooseFields<Fields> = {
  [Name in keyof Fields]: Loose<Fields[Name]> | (object extends Pick<Fields, Name> ? undefined : never)
}

/** Fields of the configuration's `document` that a control does not set itself. */
export type DocumentDefaults = LooseFields<Omit<DocumentNormal, 'key' | 'url' | 'title' | 'fileType'>>

/** How the editor looks and what it offers, including the fields that the documentation of 10.0 adds. */
export type EditorCustomization = LooseFields<NonNullable<EditorConfigNormal['customization']>> & {
  /** The AI tools, as the documentation of 10.0 describes them. */
  readonly ai?: unknown
}

/** Fields of the configuration's `editorConfig` that a control does not set itself. */
export type EditorDefaults =
  & LooseFields<Omit<EditorConfigNormal, 'callbackUrl' | 'customization'> & Pick<EditorConfigEmbedded, 'embedded'>>
  & { readonly customization?: EditorCustomization | undefined }

/**
 * Any part of the editor's configuration that does not depend on the opened document. The control itself sets the key,
 * URL, title, file type and callback URL.
 *
 * For short, the fields of `editorConfig` (`user`, `lang`, `mode`, `customization` and so on) and the fields
 * `permissions`, `info` and `referenceData` of `document` may be given at the top level; there they take precedence.
 */
export interface EditorControlDefaults
  extends EditorDefaults, Pick<DocumentDefaults, 'permissions' | 'info' | 'referenceData'> {
  /**
   * The kind of editor. By default the page chooses when it mounts the editor: `mobile` on phones and tablets (the
   * primary pointer is a finger, and the screen's shorter side is below 1080 CSS pixels), and `desktop` elsewhere.
   */
  readonly type?: 'desktop' | 'mobile' | 'embedded' | undefined
  /**
   * CSS width of the editor inside its fragment.
   *
   * @default '100%'
   */
  readonly width?: string | undefined
  /**
   * CSS height of the editor inside its fragment.
   *
   * @default '100%'
   */
  readonly height?: string | undefined
  /**
   * Whether the page shows the version history. Restoring a version always needs the right to edit.
   *
   * @default whether the page may edit; `true` with the option `versions: { for: 'readers' }`
   */
  readonly history?: boolean | undefined
  /**
   * `secure-view`: the user may only look at the document, whatever else the control says: no editing, comments, chat,
   * copying, printing, downloading, history, plugins and macros. A watermark shows the user's name and the time;
   * `document.options` may have another `watermark_on_draw`. With `requireToken`, the document's URL in the page works
   * only for the document server. It does not prevent screenshots, and the user's browser still receives the content:
   * docs/page.md#secure-view.
   *
   * @default none
   * @experimental
   */
  readonly preset?: 'secure-view' | undefined
  /** Fields of `document`, as in the editor's documentation. */
  readonly document?: DocumentDefaults | undefined
  /** Fields of `editorConfig`, as in the editor's documentation. `mode` is `'edit'` by default. */
  readonly editorConfig?: EditorDefaults | undefined
}

/** Options of `EditorControl.openDocument`. */
export interface OpenDocumentOptions {
  /**
   * Title shown in the editor.
   *
   * @default the fileId and the stored extension: `report.docx`
   */
  readonly title?: string | undefined
}

/** Options of `EditorControl.uploadDocument`. */
export interface UploadDocumentOptions {
  /**
   * Whether to check the content with `checkDocument` before it is stored.
   *
   * @default false: any content is stored
   */
  readonly check?: boolean | undefined
}

/** Options of `EditorControl.convert`. */
export interface ControlConvertOptions extends ConversionOptions, ConvertOptions {
  /**
   * Name of the converted file in the document server's URL.
   *
   * @default documentName
   */
  readonly title?: string | undefined
}

/** Options of `EditorControl.thumbnail`. */
export interface ThumbnailRequest extends Omit<ControlConvertOptions, 'outputType' | 'thumbnail'> {
  /** Pixels. */
  readonly width: number
  /** Pixels. */
  readonly height: number
  /**
   * How the page fits into `width` and `height`, as in `ConversionOptions.thumbnail`.
   *
   * @default 1: with its proportions
   */
  readonly aspect?: NonNullable<ThumbnailOptions['aspect']> | undefined
  /** @default 'png' */
  readonly outputType?: 'bmp' | 'gif' | 'jpg' | 'png' | undefined
}

/** Options of `EditorControl.forceSave`. */
export interface ForceSaveOptions {
  /**
   * Milliseconds after which the promise rejects with `ForceSaveTimeoutError`.
   *
   * @default 60_000
   */
  readonly timeout?: number | undefined
  /**
   * How long to wait, in milliseconds, before believing the document server that there is nothing to save: it does not
   * report saves that other people have just started. After each such save arrives, the wait is three times as long.
   * With 0 the answer is immediate, but `no-changes` may be wrong while another save is under way.
   *
   * @default 3000
   */
  readonly grace?: number | undefined
  /** Ends the wait: the promise rejects with the signal's reason. The document may still be saved. */
  readonly signal?: AbortSignal | undefined
}

/** What `EditorControl.forceSave` resolves to. */
export type ForceSaveResult =
  | {
    /** Everything that was in the editors when `forceSave` was called is stored. */
    readonly saved: true
    /** Where it is stored: in the document, or in a conflict copy, because somebody else has changed the document. */
    readonly stored: { readonly fileId: string, readonly revision: string }
    readonly reason?: undefined
  }
  | {
    readonly saved: false
    /**
     * `no-changes`: all edits are stored already. `no-session`: nobody is editing under this document key; the changes
     * of an earlier session are stored, or in a forgotten file.
     */
    readonly reason: 'no-changes' | 'no-session'
    readonly stored?: undefined
  }

/** Options of `EditorControl.convertToPdf`. */
export interface ConvertToPdfOptions {
  /**
   * How many times to ask the document server for the result; at least 1.
   *
   * @default 15
   */
  readonly maxAttempts?: number | undefined
  /**
   * Milliseconds between two attempts; at least 0.
   *
   * @default 1000
   */
  readonly delayMs?: number | undefined
  /** Cancels the conversion: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Options of `EditorControl.render`. */
export interface RenderOptions {
  /**
   * Events of the editor that the page handles, by a listener on the fragment (`requestclose` for `onRequestClose`) or
   * by a handler. Most of them add a button or a menu entry to the editor. Leave out events that the option `actions`
   * answers. `onRequestClose` shows the editor's close button, unless `customization.close` says otherwise.
   *
   * @default only informational events
   */
  readonly events?: readonly string[] | undefined
  /**
   * Where to go when the user closes the editor: an http(s) URL or a path. It also shows the editor's close button,
   * unless the page has an element with the attribute `data-onlyoffice-close`.
   *
   * @default the page that the user came from, if it is of the same origin
   */
  readonly closeUrl?: string | undefined
  /**
   * Language of the editor, such as `de` or `pt-BR`: `editorConfig.lang`.
   *
   * @default the control's language, or English
   */
  readonly lang?: NonNullable<EditorDefaults['lang']> | undefined
  /**
   * Texts that replace the page's own.
   *
   * @default in the editor's language if it is Arabic, Bengali, Chinese, French, German, Hindi, Italian, Japanese,
   * Korean, Polish, Portuguese, Russian, Spanish or Turkish, else in English
   */
  readonly messages?: EditorMessages | undefined
  /**
   * The nonce of the page's Content-Security-Policy, such as `reply.cspNonce.script` of `@fastify/helmet`: in base64, a
   * new one for every page. With it, `script-src` need not allow the page's module and `api.js` by their origins.
   *
   * @default none
   */
  readonly nonce?: string | undefined
}

/** Options of `reply.editor()`. */
export interface EditorPageOptions extends RenderOptions {
  /**
   * Title of the page.
   *
   * @default the document's title
   */
  readonly title?: string | undefined
}

/**
 * One document in one page. Create a new control for every page, with `app.editorControl(defaults)`.
 *
 * @example
 * ```js
 * app.get('/edit/:fileId', async (request, reply) => {
 *   const control = app.editorControl({ user: { id: '7', name: 'Ada' } })
 *   await control.openDocument(request.params.fileId, { title: 'Report.docx' })
 *   return reply.editor(control)
 * })
 * ```
 */
export interface EditorControl {
  /** The opened document; `''` without one, or if `documentUrl` was assigned. */
  readonly fileId: string
  /** Title shown in the editor. Opening a document sets it; `''` before that. May be assigned. */
  documentName: string
  /**
   * Identifies the content and its editing session at the document server: 1 to 128 characters of `[0-9A-Za-z._=-]`.
   * Opening a document sets it; `''` before that. May be assigned; the editor does not open with an invalid key.
   * Source: emulator/docs/document-server-protocol.md#the-document-key
   */
  documentKey: string
  /**
   * URL from which the document server downloads the document. Opening a document sets it; `''` before that. May be
   * assigned. With `signedUrls` it is valid for `downloadUrlLifetime`.
   */
  documentUrl: string
  /**
   * URL to which the document server posts callbacks. Opening a document sets it; `''` before that. May be assigned.
   * With `signedUrls`, its signature covers the keys that the plugin creates for this file. If `documentKey` was
   * assigned, `config` contains a URL that is signed for that key instead.
   */
  callbackUrl: string
  /** Whether a document is open: `documentUrl`, `documentName` and `documentKey` are all more than whitespace. */
  readonly hasDocument: boolean
  /**
   * Why the document opens for viewing although the control allows editing: it is frozen (`app.editorSessions.freeze`),
   * or the hook `canEdit` denied it. The page shows the reason. `''` if no reason was given, `null` if the document is
   * not locked.
   */
  readonly lockReason: string | null
  /**
   * Lets this page use the actions `proxy` and `report`. Send it in the header `x-editor-proxy-token`, with the
   * `fileId` of the opened document in the query. Valid for `downloadUrlLifetime`. Each access creates a new token;
   * `''` without a document.
   */
  readonly proxyToken: string
  /**
   * Lets this page use `actions`. Send it in the header `x-editor-page-token`. It contains the fileId, the title, and
   * what the control was created with (user, permissions and so on), signed but readable. Valid for
   * `pageTokenLifetime`; every action returns a fresh token, and an open page renews it. Each access creates a new
   * token.
   *
   * It is `''`, and the page cannot use any action, without a stored document, or if `documentKey`, `documentUrl` or
   * `callbackUrl` was assigned, or if the token would have more than 8,000 characters. Long data of the user, such as
   * `user.image`, is left out first, with a line in the log.
   */
  readonly pageToken: string
  /**
   * What a page with this control loads first, as values of `Link` headers: a connection to the document server, its
   * `api.js`, and the page's module. They do not depend on the document, so you can send them before it is opened. Do
   * not send them with a page that has no document: the browser would load the files for nothing.
   *
   * @example
   * ```js
   * const control = app.editorControl({ user: { id: '7', name: 'Ada' } })
   * reply.writeEarlyHints({ link: control.links }) // status 103, before the document is looked up
   * await control.openDocument(fileId)
   * return reply.header('link', control.links).type('text/html').send(control.render())
   * ```
   */
  readonly links: string[]
  /**
   * The signed configuration, or `null` without a document. Each access creates and signs a new one.
   *
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`): the first document is still being opened; an `await` is
   *   missing.
   */
  readonly config: SignedConfig | null
  /** `config` as JSON; without a document, the string `null`. Throws like `config`. */
  readonly configJson: string

  /**
   * Opens a stored document. Resolves to this control.
   *
   * @throws ControlBusyError (`FST_EDITOR_CONTROL_BUSY`): the control is opening another document.
   * @throws FileNotFoundError (`FST_EDITOR_FILE_NOT_FOUND`): no stored file has this ID.
   * @throws UnknownFormatError (`FST_EDITOR_UNKNOWN_FORMAT`): no editor opens its format. A format that the plugin does
   * not know is accepted if the document server lists it for viewing.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `fileId` is not a string, or an option is invalid.
   * @throws StorageTimeoutError (`FST_EDITOR_STORAGE_TIMEOUT`): the storage did not return the session in time.
   * @throws UnknownRecordError (`FST_EDITOR_UNKNOWN_RECORD`): a newer version of this library wrote its record.
   * @throws the storage's own error, when a call of it fails.
   */
  openDocument (fileId: string, options?: OpenDocumentOptions): Promise<EditorControl>

  /**
   * Stores a new document and opens it. Resolves to this control. `maxFileSize` does not apply.
   *
   * @param title Shown in the editor. The document is stored with its extension as file type.
   * @throws ControlBusyError (`FST_EDITOR_CONTROL_BUSY`): the control is opening another document.
   * @throws InvalidNameError (`FST_EDITOR_INVALID_NAME`): `title` does not end in an extension of 1 to 16 letters or
   *   digits.
   * @throws UnknownFormatError (`FST_EDITOR_UNKNOWN_FORMAT`): as in `openDocument`. Nothing is stored.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `content` is not a `DocumentContent`, or was already
   *   read, or an option is invalid.
   * @throws StorageTimeoutError (`FST_EDITOR_STORAGE_TIMEOUT`): the document is stored, but the storage did not return
   * the session in time.
   * @throws with `check`: EmptyDocumentError (`FST_EDITOR_EMPTY_DOCUMENT`), WrongFormatError
   *   (`FST_EDITOR_WRONG_FORMAT`), DamagedDocumentError (`FST_EDITOR_DAMAGED_DOCUMENT`), and from the hook `inspect`
   *   RejectedError (`FST_EDITOR_REJECTED`) and InspectionFailedError (`FST_EDITOR_INSPECTION_FAILED`). Nothing is
   *   stored.
   * @throws the error of `content` (nothing is stored), or the storage's own error.
   * @example
   * ```js
   * const { fileId } = await app.editorControl().uploadDocument(request.raw, 'Report.docx', { check: true })
   * ```
   */
  uploadDocument (content: DocumentContent, title: string, options?: UploadDocumentOptions): Promise<EditorControl>

  /** Another name for `uploadDocument`: the one that the original ASP.NET control used. */
  setDocumentFromBytes: EditorControl['uploadDocument']

  /**
   * Stores a new, empty document, as `blankDocument` makes it, and opens it. Resolves to this control. Rejects like
   * `uploadDocument`, and also:
   *
   * @param fileType One of `blankFileTypes`, such as `docx`, `xlsx`, `pptx`, `odt` or `pdf`.
   * @throws ControlBusyError (`FST_EDITOR_CONTROL_BUSY`): the control is opening another document.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `fileType`, `lang` or `paper` is invalid.
   * @example
   * ```js
   * const { fileId } = await app.editorControl({ lang: 'de' }).createDocument('docx', { title: 'Bericht' })
   * ```
   */
  createDocument (fileType: string, options?: CreateDocumentOptions): Promise<EditorControl>

  /**
   * Stores a copy of a document, or a new document from a template, and opens it. Resolves to this control. Templates,
   * and files that are not stored yet, are checked with `checkDocument`. The hook `inspect` sees the new document.
   * Rejects like `uploadDocument` with `check`, and also:
   *
   * @throws ControlBusyError (`FST_EDITOR_CONTROL_BUSY`): the control is opening another document.
   * @throws FileNotFoundError (`FST_EDITOR_FILE_NOT_FOUND`): no stored file has the `fileId`.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): an option is invalid, or templates of this format are not
   *   supported, such as templates with macros (`dotm`) or of old Office versions (`dot`).
   * @throws TooLargeError (`FST_EDITOR_TOO_LARGE`): the template has more than 64 MiB.
   * @example
   * ```js
   * const control = app.editorControl()
   * await control.createDocument({ from: 'offer-template', title: 'Offer 4711' })
   * await control.createDocument({ from: { content: await readFile('Offer.dotx'), title: 'Offer.dotx' } })
   * ```
   */
  createDocument (options: CreateFromOptions): Promise<EditorControl>

  /**
   * Converts the document at `documentUrl` to PDF at the document server, and resolves to the PDF. Unsaved changes are
   * not included: call `forceSave` first.
   *
   * `timeouts.total` limits each request, `maxAttempts` and `signal` the whole conversion. Source:
   * emulator/docs/document-server-protocol.md#conversion
   *
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`): no document is open.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `maxAttempts` or `delayMs` is invalid.
   * @throws ConversionTimeoutError (`FST_EDITOR_CONVERSION_TIMEOUT`): the conversion was not finished after
   * `maxAttempts` requests.
   * @throws ConversionFailedError (`FST_EDITOR_CONVERSION_FAILED`): the document server reported an error, which the
   * message explains, or sent an unusable response or result.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`): a request failed, was truncated, or was answered with a status other
   *   than 200.
   * @throws UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): a request exceeded one of the `timeouts`.
   * @throws AddressBlockedError (`FST_EDITOR_ADDRESS_BLOCKED`): the PDF's URL has an origin or IP address that is not
   *   allowed.
   * @throws TooLargeError (`FST_EDITOR_TOO_LARGE`): the PDF exceeds `maxFileSize`, or a response of the conversion
   *   service exceeds 1 MiB.
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
   * Converts the document at `documentUrl` at the document server, and resolves as soon as the result begins to arrive.
   * Unsaved changes are not included: call `forceSave` first. The document server keeps results, so the same content
   * and options are not converted again. Source: emulator/docs/document-server-protocol.md#conversion
   *
   * Rejects like `EditorServer.convert`, and also:
   *
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`): no document is open.
   * @throws InvalidNameError (`FST_EDITOR_INVALID_NAME`): the application set `documentUrl`, and `documentName` has no
   *   extension.
   * @throws the storage's own error, when looking up the stored file fails.
   * @example
   * ```js
   * const control = await app.editorControl().openDocument('report')
   * const result = await control.convert({ outputType: 'odt', signal: AbortSignal.timeout(60_000) })
   * return reply.type(result.mediaType).send(result.body)
   * ```
   */
  convert (options: ControlConvertOptions): Promise<ResultFile>

  /**
   * Makes an image of the first page. Rejects like `convert`.
   *
   * @example
   * ```js
   * const image = await control.thumbnail({ width: 200, height: 280 })
   * return reply.type(image.mediaType).send(image.body)
   * ```
   */
  thumbnail (options: ThumbnailRequest): Promise<ResultFile>

  /**
   * Saves the opened document while people go on editing, and waits until the save is stored. The save contains
   * everything that had arrived at the document server when you called this, even if the session ends and a final save
   * comes first. Does not wait for `onSaved`.
   *
   * It saves the session with the control's `documentKey`. The save may arrive at another instance than the one that
   * waits. Do not call it inside `onCallback`, `onSaved` and `onSaveFailed` of the same document, because the save
   * would wait for the hook: call it after the hook has returned. Source:
   * emulator/docs/document-server-protocol.md#forcesave
   *
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`): no stored document is open.
   * @throws FileNotFoundError (`FST_EDITOR_FILE_NOT_FOUND`): the document was deleted.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `timeout` or `signal` is invalid.
   * @throws InvalidKeyError (`FST_EDITOR_INVALID_KEY`): `documentKey` is malformed.
   * @throws ForceSaveFailedError (`FST_EDITOR_FORCE_SAVE_FAILED`): the document server could not assemble the document,
   * this or another instance refused the save, `forceSave` was called inside such a hook, or the application is
   * closing.
   * @throws ForceSaveTimeoutError (`FST_EDITOR_FORCE_SAVE_TIMEOUT`): the save did not arrive within `timeout`.
   * @throws CommandFailedError (`FST_EDITOR_COMMAND_FAILED`): the document server refused the command, for example
   *   because of its token.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`), UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): the document
   * server gave no usable answer to the command.
   * @throws the reason of `signal`, once it is aborted.
   * @throws the storage's own error, when a call of it fails.
   * @example
   * ```js
   * // Mail the document as it is in the editors at this moment.
   * const control = await app.editorControl().openDocument('report')
   * const { stored } = await control.forceSave({ timeout: 20_000 })
   * const { body } = await app.editorStorage.read(stored?.fileId ?? 'report')
   * ```
   */
  forceSave (options?: ForceSaveOptions): Promise<ForceSaveResult>

  /**
   * The versions of the stored document, in the format of the editor's `refreshHistory`. Needs the option `versions`.
   *
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`): no stored document is open.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): the option `versions` is not set.
   * @throws the storage's own error, when a call of it fails.
   * @example
   * ```js
   * const control = await app.editorControl().openDocument('report')
   * const { currentVersion, history } = await control.history()
   * for (const { version, created, user } of history) console.log(version, created, user?.name)
   * ```
   */
  history (): Promise<DocumentHistory>

  /**
   * One version of the stored document, signed, in the format of the editor's `setHistoryData`. The editor highlights
   * the changes, if their data was kept. Use `url` and `fileType` to download a version. The URLs are signed for this
   * version and valid for `downloadUrlLifetime`. Needs the option `versions`. Source:
   * emulator/docs/document-server-protocol.md#version-history
   *
   * @throws VersionNotFoundError (`FST_EDITOR_VERSION_NOT_FOUND`): this version does not exist, or is no longer kept.
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`), InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): as in
   *   `history`.
   */
  historyData (version: number): Promise<HistoryVersionData>

  /**
   * Names a version, optionally with a comment; `null` removes the name. The history shows the name. Named versions, at
   * most 100, are kept regardless of `versions`; only `maxBytes` counts them. The present version can be named, too.
   * This does not check rights: the application decides who may name versions.
   *
   * @throws VersionNotFoundError (`FST_EDITOR_VERSION_NOT_FOUND`): this version does not exist, or is no longer kept.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): the name or comment is invalid, 100 other versions have
   *   names, or the option `versions` is not set.
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`): the control has no stored document.
   * @throws the storage's own error.
   * @example
   * ```js
   * await control.nameVersion(7, { name: 'Signed', comment: 'As sent to the notary' })
   * ```
   */
  nameVersion (version: number, label: VersionLabel | null): Promise<void>

  /**
   * Makes an earlier version the present one, and keeps the present content as a version. It first waits until nobody
   * edits the document, because the later saves of open editors are not based on the restored version. `onSaved` is
   * called as after a save. Needs the option `versions`.
   *
   * @throws BeingEditedError (`FST_EDITOR_BEING_EDITED`): somebody still edited the document after `timeout`.
   * @throws VersionNotFoundError (`FST_EDITOR_VERSION_NOT_FOUND`): this version does not exist, or is no longer kept.
   * @throws FileNotFoundError (`FST_EDITOR_FILE_NOT_FOUND`): the document was deleted.
   * @throws RejectedError (`FST_EDITOR_REJECTED`), InspectionFailedError (`FST_EDITOR_INSPECTION_FAILED`): the hook
   *   `inspect` rejected the version, or failed.
   * @throws NameTakenError (`FST_EDITOR_NAME_TAKEN`): the version has another format, and another document already has
   * the name that this document would get.
   * @throws AddressBlockedError (`FST_EDITOR_ADDRESS_BLOCKED`): `result.url` is not at the document server.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`), UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): `result` could
   * not be fetched, or is not a file of its `fileType`.
   * @throws BusyError (`FST_EDITOR_BUSY`): the document kept changing, or `restore` was called in a hook that a
   * callback of this document waits for.
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`), InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): as in
   *   `history`.
   * @throws the reason of `signal`, once it is aborted.
   * @example
   * ```js
   * const control = await app.editorControl({ user }).openDocument('report')
   * await control.restore(3)
   * ```
   */
  restore (version: number, options?: RestoreOptions): Promise<RestoredVersion>

  /**
   * Returns an HTML fragment that shows the editor; insert it into the body of any page. It consists of an element with
   * the configuration as data, and a script element that loads the module. It contains no inline script.
   *
   * While the document is opening, and if it does not open, the page informs the user. `messages` replaces these texts.
   *
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): an option is invalid, or a message is unknown or is not a
   *   string.
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`): the control has no document. If `NODE_ENV` is `production`, or
   *   with the profile `classic`, the page says so instead.
   * @example
   * ```js
   * const fragment = control.render({ lang: 'de', closeUrl: '/documents' })
   * reply.type('text/html').send(`<!doctype html><title>Report</title>${fragment}`)
   * ```
   */
  render (options?: RenderOptions): string
}
