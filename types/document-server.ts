// The document server's own services. Source: emulator/docs/document-server-protocol.md#commands
import type {
  PollingOptions, BuildRequest, BuildResult, ConversionRequest, ConvertOptions, DocumentFormat, SignalOptions,
  ResultFile
} from './conversions.js'
import type { SignedData, SignedMethods } from './signed-data.js'

/** Commands about one document key. */
export interface KeyCommand {
  /** The document key: 1 to 128 characters of `[0-9A-Za-z._=-]`. */
  readonly key: string
}

/**
 * A command of the document server's command service, with the names that the service uses; `c` selects the command.
 * Source: emulator/docs/document-server-protocol.md#commands
 */
export type ServerCommand =
  /** The version of the document server. */
  | { readonly c: 'version' }
  /** Its license, build and quota. */
  | { readonly c: 'license' }
  /**
   * Who is editing. Before it answers, the document server sends the application a callback (1 or 4) with this
   * `userdata` and waits for the answer: do not await it in a hook that such a callback waits for.
   */
  | KeyCommand & { readonly c: 'info', readonly userdata?: string }
  /**
   * Starts a force save: a callback 6 with this `userdata` follows. `EditorControl.forceSave` waits until it is stored.
   */
  | KeyCommand & { readonly c: 'forcesave', readonly userdata?: string }
  /** Disconnects the given users, or everyone without `users`. An empty list is nobody. */
  | KeyCommand & { readonly c: 'drop', readonly users?: readonly string[] }
  /** Shows all editors another title. */
  | KeyCommand & { readonly c: 'meta', readonly meta: { readonly title: string } }
  /** The keys of all forgotten files, including those of other applications that use the same document server. */
  | { readonly c: 'getForgottenList' }
  /** The URL of a forgotten file; valid for 15 minutes. */
  | KeyCommand & { readonly c: 'getForgotten' }
  /** Deletes a forgotten file. It may be the only copy of a user's work: prefer `EditorServer.recoverForgotten`. */
  | KeyCommand & { readonly c: 'deleteForgotten' }

/** What each command resolves to. */
export interface ServerCommandResults {
  /** Such as `9.3.0.140`. */
  readonly version: { readonly version: string }
  /** As the document server sends it, not validated. */
  readonly license: ServerLicense
  /** IDs of the users who are editing; viewers are not included. */
  readonly info: { readonly key: string, readonly users: readonly string[] }
  readonly forcesave: { readonly key: string }
  readonly drop: { readonly key: string }
  readonly meta: { readonly key: string }
  readonly getForgottenList: { readonly keys: readonly string[] }
  readonly getForgotten: { readonly key: string, readonly url: string }
  readonly deleteForgotten: { readonly key: string }
}

/** What a command resolves to. */
export type ServerCommandResult<C extends ServerCommand> = ServerCommandResults[C['c']]

/** The answer to the command `license`, not validated. */
export interface ServerLicense {
  /** Limits and validity. `end_date` is `null` or absent for the open-source edition. */
  readonly license?: Readonly<Record<string, unknown>>
  /** Build and type of the server. */
  readonly server?: Readonly<Record<string, unknown>>
  /** Users that the license counts at the moment. */
  readonly quota?: Readonly<Record<string, unknown>>
}

/** Options of `EditorServer.command`. */
export interface ServerCommandOptions extends SignalOptions {
  /**
   * Whether the key may be one of which the plugin cannot tell that it made it: one that the application assigned as
   * `documentKey`, one of a document whose `fileId` is too long for a key (see `recovery.fileIdOf`), or one of another
   * application that uses the same document server. Otherwise such a key is refused and nothing is sent.
   *
   * @default false
   */
  readonly foreignKey?: boolean | undefined
}

/** Options of `EditorServer.recoverForgotten`. */
export interface RecoverForgottenOptions extends SignalOptions {
  /**
   * Only finds out what there is: nothing is stored and nothing is deleted.
   *
   * @default false
   */
  readonly dryRun?: boolean | undefined
}

/** What became of one forgotten file. */
export interface RecoveredFile {
  /** Document key of the session. */
  readonly key: string
  /** The document that was edited; absent if unknown. */
  readonly fileId?: string
  /**
   * - `stored`: it is the content of the document now.
   * - `conflict`: the document was changed meanwhile, or may be newer, so it is stored as a second file,
   *   `stored.fileId`.
   * - `already-stored`: the same content was stored before.
   * - `handed-over`: the document no longer exists; `onForgotten` was called with the content.
   * - `no-document`: the document no longer exists, and there is no hook `onForgotten`.
   * - `being-edited`: users have it open; it is saved when they close it.
   * - `foreign`: the key is not of this application, as far as is known.
   * - `gone`: it was saved or recovered by somebody else meanwhile.
   * - `failed`: see `error`. The next run tries again.
   * - `recoverable`: with `dryRun`, what would be stored.
   */
  readonly outcome:
    | 'stored'
    | 'conflict'
    | 'already-stored'
    | 'handed-over'
    | 'no-document'
    | 'being-edited'
    | 'foreign'
    | 'gone'
    | 'failed'
    | 'recoverable'
  /** The document or the conflict copy that it is stored as. */
  readonly stored?: { readonly fileId: string, readonly revision: string }
  /** Whether the document server still has a forgotten file with this key. */
  readonly kept: boolean
  /** Why it failed. */
  readonly error?: Error
}

/**
 * The document server's services: `app.editorServer`. All requests are signed, and have a deadline and a size limit.
 */
export interface EditorServer {
  /**
   * Whether the document server says that it works. Resolves to `false` if it says that its database, queue or storage
   * fails.
   *
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`): there is no answer, or not one of a document server.
   * @throws UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): it did not answer within 10 seconds.
   * @throws AddressBlockedError (`FST_EDITOR_ADDRESS_BLOCKED`): a redirect led to an origin that is not allowed.
   * @throws the reason of `signal`, once it is aborted.
   */
  healthcheck (options?: SignalOptions): Promise<boolean>

  /**
   * Sends a command.
   *
   * @throws InvalidKeyError (`FST_EDITOR_INVALID_KEY`): the key is empty, malformed, or foreign without `foreignKey`.
   * At the document server an empty key means all forgotten files.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): the command or a field of it is unknown, or `users` is
   *   not a list of strings.
   * @throws CommandFailedError (`FST_EDITOR_COMMAND_FAILED`): the document server answered with an error; `serverCode`
   * is its code, and the message explains it.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`), UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): there is no
   * usable answer, or not within 10 seconds (10 minutes for `info` and `forcesave`, which may wait for the
   * application).
   * @throws the reason of `signal`, once it is aborted.
   * @example
   * ```js
   * const { users } = await app.editorServer.command({ c: 'info', key: control.documentKey })
   * ```
   */
  command<C extends ServerCommand>(command: C, options?: ServerCommandOptions): Promise<ServerCommandResult<C>>

  /**
   * The document server's version, such as `9.3.0.140`. Rejects as `command` does.
   */
  version (options?: SignalOptions): Promise<string>

  /** The document server's license. Rejects as `command` does. */
  license (options?: SignalOptions): Promise<ServerLicense>

  /**
   * Has the document server convert a document at a URL, and resolves as soon as the result begins to arrive. For a
   * stored document use `EditorControl.convert`.
   *
   * The document server requests the URL with a token of its own, and may reach hosts that users cannot: check a URL
   * that a user gives. Source: emulator/docs/document-server-protocol.md#conversion
   *
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): a field of the request or an option is invalid or
   * unknown; the message names it. Nothing was sent.
   * @throws ConversionTimeoutError (`FST_EDITOR_CONVERSION_TIMEOUT`): there was no result within `timeout`. The same
   * request later continues the same conversion.
   * @throws ConversionFailedError (`FST_EDITOR_CONVERSION_FAILED`): the document server reported an error, which
   * `serverCode` contains and the message explains, or its answer or the result cannot be used. `retryable` is true for
   * the codes -1, -2, -4 and -6, whose cause may pass. -3 is permanent: the document server gives the same answer for
   * the same key and options.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`), UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): a request
   * failed, was answered with a status other than 200, or exceeded one of the `timeouts`.
   * @throws AddressBlockedError (`FST_EDITOR_ADDRESS_BLOCKED`): the result is at an origin or IP address that is not
   *   allowed.
   * @throws TooLargeError (`FST_EDITOR_TOO_LARGE`): the result exceeds `maxFileSize`, or an answer 1 MiB.
   * @throws the reason of `signal`, once it is aborted, or an `Error` when the application closes; so does reading the
   *   result.
   * @example
   * ```js
   * const key = `${id}-${version}`
   * const result = await app.editorServer.convert({ url, fileType: 'docx', key, outputType: 'pdf' })
   * return reply.type(result.mediaType).send(result.body)
   * ```
   */
  convert (request: ConversionRequest, options?: ConvertOptions): Promise<ResultFile>

  /**
   * Runs a script of the document builder at the document server, and resolves to the files that it saves.
   * Source: emulator/docs/document-server-protocol.md#document-builder
   *
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): a field of the request or an option is invalid. Nothing
   *   was sent.
   * @throws ConversionTimeoutError (`FST_EDITOR_CONVERSION_TIMEOUT`): the build was not finished within `timeout`.
   * @throws BuildFailedError (`FST_EDITOR_BUILD_FAILED`): the document server reported an error, which `serverCode`
   * contains and the message explains, or its answer cannot be used.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`), UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): as `convert`.
   * @throws the reason of `signal`, once it is aborted.
   * @example
   * ```js
   * const { files } = await app.editorServer.build({ url: 'https://app.example.com/invoice.docbuilder', argument: { number: 17 } })
   * for (const file of files) await save(file.name, await (await file.fetch()).bytes())
   * ```
   */
  build (request: BuildRequest, options?: PollingOptions): Promise<BuildResult>

  /**
   * The formats that the document server knows: what can be done with each, and what it can be converted to. Asks the
   * document server once an hour. Falls back to a built-in list if the server has none, or does not respond within 10
   * seconds.
   *
   * @throws the reason of `signal`, once it is aborted; nothing else.
   * @example
   * ```js
   * const formats = await app.editorServer.formats()
   * const editable = formats.filter(({ actions }) => actions.includes('edit')).map(({ fileType }) => fileType)
   * ```
   */
  formats (options?: SignalOptions): Promise<readonly DocumentFormat[]>

  /**
   * Brings saves home that the application refused, or missed because it was down. The document server keeps them as
   * forgotten files, which otherwise only come back when somebody opens the document again. Each is stored if it is
   * newer than the document, or else as a conflict copy, and is then deleted at the document server. If its document no
   * longer exists, `onForgotten` gets the content. Files of other applications are left alone. `onSaved` is called as
   * for any save.
   *
   * Several instances may do this at the same time. The runs of one instance follow one another: do not await this in
   * `onForgotten` or another hook that a run waits for. A failure of one file is reported in the result and logged.
   * Source: emulator/docs/document-server-protocol.md#forgotten-files
   *
   * @throws CommandFailedError (`FST_EDITOR_COMMAND_FAILED`), UpstreamError (`FST_EDITOR_UPSTREAM`),
   *   UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): the list of forgotten files could not be read.
   * @throws the reason of `signal`, once it is aborted; the file that is being stored is still finished.
   * @example
   * ```js
   * for (const { fileId, outcome } of await app.editorServer.recoverForgotten()) app.log.info({ fileId, outcome })
   * ```
   */
  recoverForgotten (options?: RecoverForgottenOptions): Promise<readonly RecoveredFile[]>

  /**
   * Signs the argument of one of the editor's methods in the page, such as `setHistoryData`. Returns a copy of it, as
   * JSON, with its `token`, whose claims are exactly the other fields: the editor uses only these. The token does not
   * expire.
   *
   * Sign only what the application has composed itself, never an object that a user sent: with the same secret the
   * document server verifies conversions and configurations.
   * Source: emulator/docs/document-server-protocol.md#version-history
   *
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): the method is unknown, or a field that it needs is
   * missing or invalid; the message names it. So are `exp`, `iat` and `nbf`, with which the token would pass for one of
   * the document server at this application, and the name of a command as `c`, which the document server would execute.
   * An answer that only reports an error, such as `{ error, version }`, needs no token.
   * @example
   * ```js
   * app.get('/history/:fileId/:version', async ({ params }) => {
   *   const { version, key, url } = await versions.find(params.fileId, Number(params.version))
   *   return app.editorServer.sign('setHistoryData', { version, fileType: 'docx', key, url })
   * })
   *
   * // In the page: fragment.addEventListener('requesthistorydata', async event => {
   * //   const response = await fetch(`/history/report/${event.detail}`)
   * //   docEditor.setHistoryData(await response.json())
   * // })
   * ```
   */
  sign<Method extends keyof SignedMethods> (
    method: Method,
    data: SignedMethods[Method]
  ): SignedData<SignedMethods[Method]>

  /**
   * Signs any other data for the editor in the page: a plain object without `token`.
   *
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `payload` is not a plain object, is not JSON, has a field
   * `token`, `payload`, `exp`, `iat` or `nbf`, or the name of a command as `c`.
   * @example
   * ```js
   * const signed = app.editorServer.sign({ c: 'add', images: [{ fileType: 'png', url }] })
   * ```
   */
  sign<Payload extends object> (payload: Payload): SignedData<Payload>
}
