import type { Config, DocumentNormal, EditorConfigEmbedded, EditorConfigNormal } from '@onlyoffice/doceditor-types'
import type { CreateDocumentOptions, CreateFromOptions } from './blank.js'
import type { ConversionOptions, ConvertOptions, ResultFile, ThumbnailOptions } from './conversions.js'
import type { DocumentHistory, HistoryVersionData, RestoredVersion, RestoreOptions } from './history.js'
import type { EditorMessages } from './messages.js'
import type { DocumentContent, VersionLabel } from './storage.js'

/**
 * The signed configuration for `new DocsAPI.DocEditor(id, config)`. The payload of `token` is this object without
 * `token`. Source: emulator/docs/document-server-protocol.md#the-configuration-and-its-token
 */
export type SignedConfig = Omit<Config, 'events'> & Required<Pick<Config, 'document' | 'editorConfig' | 'token'>>

/** The editor's own types, in which an optional field may also be `undefined`. */
type Loose<Value> = Value extends readonly unknown[] ? Value : Value extends object ? LooseFields<Value> : Value
type LooseFields<Fields> = {
  [Name in keyof Fields]: Loose<Fields[Name]> | (object extends Pick<Fields, Name> ? undefined : never)
}

/** Fields of the configuration's `document` that a control does not set itself. */
export type DocumentDefaults = LooseFields<Omit<DocumentNormal, 'key' | 'url' | 'title' | 'fileType'>>

/** How the editor looks and what it offers, with what the documentation of 10.0 adds. */
export type EditorCustomization = LooseFields<NonNullable<EditorConfigNormal['customization']>> & {
  /** The tools of artificial intelligence, as that documentation describes them. */
  readonly ai?: unknown
}

/** Fields of the configuration's `editorConfig` that a control does not set itself. */
export type EditorDefaults =
  & LooseFields<Omit<EditorConfigNormal, 'callbackUrl' | 'customization'> & Pick<EditorConfigEmbedded, 'embedded'>>
  & { readonly customization?: EditorCustomization | undefined }

/**
 * Any part of the editor's configuration that does not depend on the opened document: key, URL, title, file type and
 * callback URL are set by the control. Fields of `editorConfig` (`user`, `lang`, `mode`, `customization` and so on) and
 * `permissions`, `info` and `referenceData` of `document` may be given at the top level; there they take precedence.
 */
export interface EditorControlDefaults
  extends EditorDefaults, Pick<DocumentDefaults, 'permissions' | 'info' | 'referenceData'> {
  /**
   * The editor for which devices. By default the page chooses when it mounts the editor: `mobile` on phones and
   * tablets, that is where the primary pointer is a finger and the screen's shorter side has less than 1080 CSS pixels,
   * `desktop` elsewhere.
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
   * Whether the page shows the version history. Restoring a version needs the right to edit in any case.
   *
   * @default whether the page may edit; `true` with the option `versions: { for: 'readers' }`
   */
  readonly history?: boolean | undefined
  /**
   * `secure-view`: only to be looked at, whatever else the control says. No editing, comments, chat, copying, printing,
   * downloading, history, plugins and macros, and a watermark with the user's name and the time; `document.options` may
   * have another `watermark_on_draw`. With `requireToken`, the document's URL in the page only works for the document
   * server. It does not prevent screenshots, and the user's browser has the content: docs/page.md#secure-view.
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
   * Whether the content is looked at with `checkDocument` before it is stored.
   *
   * @default false: whatever it is, it is stored
   */
  readonly check?: boolean | undefined
}

/** Options of `EditorControl.convert`. */
export interface ControlConvertOptions extends ConversionOptions, ConvertOptions {
  /**
   * Name of the converted file in the URL of the document server.
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
   * Milliseconds to wait, if the document server has nothing new to save, for a save that somebody else may have
   * started; three times as long after each such save. With 0 it is not waited for, and `no-changes` may be said while
   * one is under way.
   *
   * @default 3000
   */
  readonly grace?: number | undefined
  /** Ends the wait: the promise rejects with the signal's reason. The document may be saved all the same. */
  readonly signal?: AbortSignal | undefined
}

/** What `EditorControl.forceSave` resolves to. */
export type ForceSaveResult =
  | {
    /** What was in the editors when it was called is stored. */
    readonly saved: true
    /** Where: in the document, or in a conflict copy because somebody else has changed the document. */
    readonly stored: { readonly fileId: string, readonly revision: string }
    readonly reason?: undefined
  }
  | {
    readonly saved: false
    /**
     * `no-changes`: everything that was edited has been stored already. `no-session`: nobody is editing under this
     * document key; the changes of an earlier session are stored, or a forgotten file.
     */
    readonly reason: 'no-changes' | 'no-session'
    readonly stored?: undefined
  }

/** Options of `EditorControl.convertToPdf`. */
export interface ConvertToPdfOptions {
  /**
   * How many times the document server is asked for the result; at least 1.
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
   * Events of the editor that the page listens to on the fragment (`requestclose` for `onRequestClose`), or as
   * handlers: most of them add a button or a menu entry. Those that are answered by the option `actions` need not be
   * named. `onRequestClose` shows the close button of the editor, unless `customization.close` says otherwise.
   *
   * @default none besides the informational ones
   */
  readonly events?: readonly string[] | undefined
  /**
   * Where closing the editor leads: an http(s) URL or a path. It also shows the close button of the editor, unless the
   * page has an element with the attribute `data-onlyoffice-close`.
   *
   * @default the page that the user came from, if it is of the same origin
   */
  readonly closeUrl?: string | undefined
  /**
   * Language of the editor, such as `de` or `pt-BR`: `editorConfig.lang`.
   *
   * @default that of the control, or English
   */
  readonly lang?: NonNullable<EditorDefaults['lang']> | undefined
  /**
   * Texts that replace those of the page.
   *
   * @default in the editor's language if it is Arabic, Bengali, Chinese, French, German, Hindi, Italian, Japanese,
   * Korean, Polish, Portuguese, Russian, Spanish or Turkish, else in English
   */
  readonly messages?: EditorMessages | undefined
}

/** Options of `reply.editor()`. */
export interface EditorPageOptions extends RenderOptions {
  /**
   * Title of the page.
   *
   * @default that of the document
   */
  readonly title?: string | undefined
}

/**
 * One document in one page. `app.editorControl(defaults)` creates a control; create one for every page.
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
  /** Title shown in the editor. Set when a document is opened, `''` before; may be assigned. */
  documentName: string
  /**
   * Identifies the content and its editing session at the document server: 1 to 128 characters of `[0-9A-Za-z._=-]`.
   * Set when a document is opened, `''` before; may be assigned. The editor does not open with an
   * invalid key. Source: emulator/docs/document-server-protocol.md#the-document-key
   */
  documentKey: string
  /**
   * URL from which the document server downloads the document. Set when a document is opened, `''`
   * before; may be assigned. With `signedUrls` it is valid for `downloadUrlLifetime`.
   */
  documentUrl: string
  /**
   * URL to which the document server posts callbacks. Set when a document is opened, `''` before;
   * may be assigned. With `signedUrls` it is signed for the keys that the plugin creates for this file; if
   * `documentKey` was assigned, `config` contains a URL that is signed for that key instead.
   */
  callbackUrl: string
  /** Whether a document is open: `documentUrl`, `documentName` and `documentKey` are all more than whitespace. */
  readonly hasDocument: boolean
  /**
   * Why the stored document opens for viewing although the control allows editing: it is frozen
   * (`app.editorSessions.freeze`), or the hook `canEdit` denied it. `''` without a reason, `null` if it is not locked.
   * The page shows it.
   */
  readonly lockReason: string | null
  /**
   * Lets this page use the actions `proxy` and `report`: a request sends it in the header `x-editor-proxy-token`, and
   * the `fileId` of the opened document in the query. Valid for `downloadUrlLifetime`. Created anew at every access;
   * `''` without a document.
   */
  readonly proxyToken: string
  /**
   * Lets this page use the option `actions`: a request sends it in the header `x-editor-page-token`. It contains the
   * fileId, the title, and what the control was made with, signed but readable: the user, the permissions and so on.
   * Valid for `pageTokenLifetime`; every action answers a fresh one, and an open page renews it. Created anew at every
   * access; `''` without a stored document, or if `documentKey`, `documentUrl` or `callbackUrl` was assigned. Then the
   * page cannot ask for anything. It has at most 8,000 characters: long data of the user, such as `user.image`, is left
   * out of one that would have more, and logged; if the rest is too long, it is `''`.
   */
  readonly pageToken: string
  /**
   * What a page with this control needs first, as values of `Link` headers: a connection to the document server, its
   * `api.js`, and the page's module. The same with and without a document, so that they can be sent before it is
   * opened. For a page that gets no document, the browser would load them in vain.
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
   * The signed configuration, or `null` without a document. Created and signed anew at every access.
   *
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`): the first document is still being opened; an `await` is
   *   missing.
   */
  readonly config: SignedConfig | null
  /** `config` as JSON; without a document, the string `null`. Throws as `config` does. */
  readonly configJson: string

  /**
   * Opens a stored document. Resolves to this control.
   *
   * @throws ControlBusyError (`FST_EDITOR_CONTROL_BUSY`): the control is opening another document.
   * @throws FileNotFoundError (`FST_EDITOR_FILE_NOT_FOUND`): no stored file has this ID.
   * @throws UnknownFormatError (`FST_EDITOR_UNKNOWN_FORMAT`): no editor opens its format. Formats that the plugin does
   * not know count if the document server lists them for viewing.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `fileId` is not a string, or an option is invalid.
   * @throws StorageTimeoutError (`FST_EDITOR_STORAGE_TIMEOUT`): the storage did not finish in time when the session was
   * looked up.
   * @throws UnknownRecordError (`FST_EDITOR_UNKNOWN_RECORD`): a newer version of this library has written its record.
   * @throws the storage's own error, when a call of it fails.
   */
  openDocument (fileId: string, options?: OpenDocumentOptions): Promise<EditorControl>

  /**
   * Stores a new document and opens it. Resolves to this control. `maxFileSize` does not apply.
   *
   * @param title Shown in the editor. Its extension is the file type under which the document is stored.
   * @throws ControlBusyError (`FST_EDITOR_CONTROL_BUSY`): the control is opening another document.
   * @throws InvalidNameError (`FST_EDITOR_INVALID_NAME`): `title` does not end in an extension of 1 to 16 letters or
   *   digits.
   * @throws UnknownFormatError (`FST_EDITOR_UNKNOWN_FORMAT`): as `openDocument` does; nothing is stored.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `content` is something else, or was read before, or an
   *   option is invalid.
   * @throws StorageTimeoutError (`FST_EDITOR_STORAGE_TIMEOUT`): the document is stored, but the storage did not finish
   * in time while the session was looked up.
   * @throws with `check`, EmptyDocumentError (`FST_EDITOR_EMPTY_DOCUMENT`), WrongFormatError
   *   (`FST_EDITOR_WRONG_FORMAT`), DamagedDocumentError (`FST_EDITOR_DAMAGED_DOCUMENT`), and of the hook `inspect`
   *   RejectedError (`FST_EDITOR_REJECTED`), InspectionFailedError (`FST_EDITOR_INSPECTION_FAILED`). Nothing is stored.
   * @throws the error of `content`, after which nothing is stored, or the storage's own error, when a call of it fails.
   * @example
   * ```js
   * const { fileId } = await app.editorControl().uploadDocument(request.raw, 'Report.docx', { check: true })
   * ```
   */
  uploadDocument (content: DocumentContent, title: string, options?: UploadDocumentOptions): Promise<EditorControl>

  /** `uploadDocument`, under the name that it had in the control that this library re-implements. */
  setDocumentFromBytes: EditorControl['uploadDocument']

  /**
   * Stores a new document without content, as `blankDocument` makes it, and opens it. Resolves to this control. Rejects
   * as `uploadDocument` does, and besides:
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
   * Stores a copy of a document, or a document made from a template, and opens it. Resolves to this control. A file
   * that is not stored is looked at with `checkDocument`, and so is every template. The hook `inspect` sees the new
   * document. Rejects as `uploadDocument` does with `check`, and besides:
   *
   * @throws ControlBusyError (`FST_EDITOR_CONTROL_BUSY`): the control is opening another document.
   * @throws FileNotFoundError (`FST_EDITOR_FILE_NOT_FOUND`): no stored file has the `fileId`.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): an option is invalid, or the template is of another
   *   format, such as one with macros (`dotm`) or of an old Office (`dot`).
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
   * Has the document server convert the document at `documentUrl` to PDF, without unsaved changes: see `forceSave`.
   * Resolves to the PDF.
   *
   * Each request is limited by `timeouts.total`, the conversion as a whole by `maxAttempts` and `signal`.
   * Source: emulator/docs/document-server-protocol.md#conversion
   *
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`): no document is open.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `maxAttempts` or `delayMs` is invalid.
   * @throws ConversionTimeoutError (`FST_EDITOR_CONVERSION_TIMEOUT`): the conversion was not finished after
   * `maxAttempts` requests.
   * @throws ConversionFailedError (`FST_EDITOR_CONVERSION_FAILED`): the document server reported an error, which the
   * message explains, or its response or the result cannot be used.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`): a request failed, was truncated, or was answered with a status other
   *   than 200.
   * @throws UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): a request exceeded one of the `timeouts`.
   * @throws AddressBlockedError (`FST_EDITOR_ADDRESS_BLOCKED`): the PDF is at an origin or IP address that is not
   *   allowed.
   * @throws TooLargeError (`FST_EDITOR_TOO_LARGE`): the PDF exceeds `maxFileSize`, or a response of the conversion
   *   service 1 MiB.
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
   * Has the document server convert the document at `documentUrl`, without unsaved changes (see `forceSave`), and
   * resolves as soon as the result begins to arrive. The document server keeps results: the same content and options
   * are not converted again. Source: emulator/docs/document-server-protocol.md#conversion
   *
   * Rejects as `EditorServer.convert` does, and besides:
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
   * An image of the first page. Rejects as `convert` does.
   *
   * @example
   * ```js
   * const image = await control.thumbnail({ width: 200, height: 280 })
   * return reply.type(image.mediaType).send(image.body)
   * ```
   */
  thumbnail (options: ThumbnailRequest): Promise<ResultFile>

  /**
   * Has the document server save the opened document while people go on editing, and waits until that is stored:
   * everything that had arrived at the document server when this was called, also if a final save comes first. It does
   * not wait for `onSaved`.
   *
   * It asks for the session with the control's `documentKey`. The save may reach another instance than the one that
   * waits. It cannot be used in `onCallback`, `onSaved` and `onSaveFailed` of the same document, because the save would
   * wait for the hook; use it after the hook has returned.
   * Source: emulator/docs/document-server-protocol.md#forcesave
   *
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`): no stored document is open.
   * @throws FileNotFoundError (`FST_EDITOR_FILE_NOT_FOUND`): the document was deleted.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `timeout` or `signal` is invalid.
   * @throws InvalidKeyError (`FST_EDITOR_INVALID_KEY`): `documentKey` is malformed.
   * @throws ForceSaveFailedError (`FST_EDITOR_FORCE_SAVE_FAILED`): the document server could not assemble the document,
   * the save was refused here or at another instance, it was called in a hook, or the application is closing.
   * @throws ForceSaveTimeoutError (`FST_EDITOR_FORCE_SAVE_TIMEOUT`): the save did not arrive within `timeout`.
   * @throws CommandFailedError (`FST_EDITOR_COMMAND_FAILED`): the document server rejects the command, such as its
   *   token.
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
   * The versions of the stored document, in the form that the editor's `refreshHistory` takes. Needs the option
   * `versions`.
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
   * One version of the stored document, signed, in the form that the editor's `setHistoryData` takes. The document
   * server fetches its URLs, which are signed and valid for `downloadUrlLifetime`; the token binds them to this
   * version. If the data of the changes are kept, they are highlighted. Needs the option `versions`. `fileType` and
   * `url` also serve to download a version. Source: emulator/docs/document-server-protocol.md#version-history
   *
   * @throws VersionNotFoundError (`FST_EDITOR_VERSION_NOT_FOUND`): there is no such version, or it is not kept any
   *   more.
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`), InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): as `history`
   *   does.
   */
  historyData (version: number): Promise<HistoryVersionData>

  /**
   * Names a version, with a comment, or removes its name: `null`. The history shows the name; named versions, at most
   * 100, are kept whatever `versions` says, and only their bytes count. The present version can be named, too. Nobody
   * is asked: the application decides who may.
   *
   * @throws VersionNotFoundError (`FST_EDITOR_VERSION_NOT_FOUND`): there is no such version any more.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): the name is not as it must be, 100 others have one, or
   *   the option `versions` is not set.
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`): the control has no stored document.
   * @throws the storage's own error.
   * @example
   * ```js
   * await control.nameVersion(7, { name: 'Signed', comment: 'As sent to the notary' })
   * ```
   */
  nameVersion (version: number, label: VersionLabel | null): Promise<void>

  /**
   * Makes an earlier version the present one. The present content is kept as a version. It waits until nobody edits the
   * document, because what they save afterwards would not build on the restored version. `onSaved` is called as after a
   * save. Needs the option `versions`.
   *
   * @throws BeingEditedError (`FST_EDITOR_BEING_EDITED`): somebody still edited the document after `timeout`.
   * @throws VersionNotFoundError (`FST_EDITOR_VERSION_NOT_FOUND`): there is no such version, or it is not kept any
   *   more.
   * @throws FileNotFoundError (`FST_EDITOR_FILE_NOT_FOUND`): the document was deleted.
   * @throws RejectedError (`FST_EDITOR_REJECTED`), InspectionFailedError (`FST_EDITOR_INSPECTION_FAILED`): the hook
   *   `inspect` has rejected it, or failed.
   * @throws NameTakenError (`FST_EDITOR_NAME_TAKEN`): the version has another format, and another document has the name
   * that this one would have.
   * @throws AddressBlockedError (`FST_EDITOR_ADDRESS_BLOCKED`): `result.url` is not at the document server.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`), UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): `result` could
   * not be fetched, or is no such file.
   * @throws BusyError (`FST_EDITOR_BUSY`): the document was changed again and again, or it was called in a hook that a
   * callback of this document waits for.
   * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`), InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): as `history`
   *   does.
   * @throws the reason of `signal`, once it is aborted.
   * @example
   * ```js
   * const control = await app.editorControl({ user }).openDocument('report')
   * await control.restore(3)
   * ```
   */
  restore (version: number, options?: RestoreOptions): Promise<RestoredVersion>

  /**
   * Returns the HTML fragment that becomes the editor: an element with the configuration as data, and the script
   * element of the module that mounts the editor. It contains no inline script and can be inserted into the body of any
   * page. Without a document no editor is mounted.
   *
   * While the document is opening, and if it does not open, the page tells the user. `messages` replaces its texts.
   *
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): an option is invalid, or a message is unknown or is not a
   *   string.
   * @example
   * ```js
   * const fragment = control.render({ lang: 'de', closeUrl: '/documents' })
   * reply.type('text/html').send(`<!doctype html><title>Report</title>${fragment}`)
   * ```
   */
  render (options?: RenderOptions): string
}
