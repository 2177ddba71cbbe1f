// The document server's own services. Source: emulator/docs/document-server-protocol.md#commands
import type {
  PollingOptions, BuildRequest, BuildResult, ConversionRequest, ConvertOptions, DocumentFormat, SignalOptions,
  ResultFile
} from './conversions.js'
import type { SignedData, SignedMethods } from './signed-data.js'

/** A command about one document key. */
export interface KeyCommand {
  /** The document key: 1 to 128 characters of `[0-9A-Za-z._=-]`. */
  readonly key: string
}

/**
 * A command of the document server's command service, with the service's own field names; `c` selects the command.
 * Source: emulator/docs/document-server-protocol.md#commands
 */
export type ServerCommand =
  /** Returns the version of the document server. */
  | { readonly c: 'version' }
  /** Returns its license, build and quota. */
  | { readonly c: 'license' }
  /**
   * Returns who is editing. Before it answers, the document server sends the application a callback (1 or 4) with this
   * `userdata` and waits for the answer: do not await the command in a hook that such a callback waits for.
   */
  | KeyCommand & { readonly c: 'info', readonly userdata?: string }
  /**
   * Starts a force save; a callback 6 with this `userdata` follows. To wait until it is stored, use
   * `EditorControl.forceSave`.
   */
  | KeyCommand & { readonly c: 'forcesave', readonly userdata?: string }
  /** Disconnects the given users; without `users` everybody, with an empty list nobody. */
  | KeyCommand & { readonly c: 'drop', readonly users?: readonly string[] }
  /** Changes the title that all editors show. */
  | KeyCommand & { readonly c: 'meta', readonly meta: { readonly title: string } }
  /**
   * Returns the keys of all forgotten files, including files of other applications that use the same document server.
   */
  | { readonly c: 'getForgottenList' }
  /** Returns the URL of a forgotten file; valid for 15 minutes. */
  | KeyCommand & { readonly c: 'getForgotten' }
  /** Deletes a forgotten file. It may be the only copy of a user's work: prefer `EditorServer.recoverForgotten`. */
  | KeyCommand & { readonly c: 'deleteForgotten' }

/** The result of each command. */
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

/** The result of a command. */
export type ServerCommandResult<C extends ServerCommand> = ServerCommandResults[C['c']]

/** The answer to the command `license`, not validated. */
export interface ServerLicense {
  /** Limits and validity. `end_date` is `null` or absent for the open-source edition. */
  readonly license?: Readonly<Record<string, unknown>>
  /** Build and type of the server. */
  readonly server?: Readonly<Record<string, unknown>>
  /** Users that the license currently counts. */
  readonly quota?: Readonly<Record<string, unknown>>
}

/** Options of `EditorServer.command`. */
export interface ServerCommandOptions extends SignalOptions {
  /**
   * Whether to send the command even if the plugin cannot see that it created the key: because the application assigned
   * it as `documentKey`, because the document's `fileId` is too long for a key (see `recovery.fileIdOf`), or because
   * the key belongs to another application that uses the same document server. Otherwise such a key is refused and
   * nothing is sent.
   *
   * @default false
   */
  readonly foreignKey?: boolean | undefined
}

/** Options of `EditorServer.recoverForgotten`. */
export interface RecoverForgottenOptions extends SignalOptions {
  /**
   * Only lists the files: stores nothing and deletes nothing.
   *
   * @default false
   */
  readonly dryRun?: boolean | undefined
}

/** The outcome for one forgotten file. */
export interface RecoveredFile {
  /** Document key of the session. */
  readonly key: string
  /** The document that was edited; absent if unknown. */
  readonly fileId?: string
  /**
   * - `stored`: the file is now the content of the document.
   * - `conflict`: the document was changed meanwhile, or may be newer, so the file is stored as a conflict copy,
   *   `stored.fileId`.
   * - `already-stored`: the same content was already stored.
   * - `handed-over`: the document no longer exists; `onForgotten` received the content.
   * - `no-document`: the document no longer exists, and the hook `onForgotten` is not set.
   * - `being-edited`: users have the document open; it is saved when they close it.
   * - `foreign`: the key seems to belong to another application.
   * - `gone`: a save or another recovery has dealt with it meanwhile.
   * - `failed`: see `error`. The next run tries again.
   * - `recoverable`: only with `dryRun`: the file would be stored.
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
  /** Where the file is stored: the document or the conflict copy. */
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
   * Resolves to whether the document server reports that it works; `false` if it reports that its database, queue or
   * storage fails.
   *
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`): there was no answer, or the answer is not from a document server.
   * @throws UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): it did not answer within 10 seconds.
   * @throws AddressBlockedError (`FST_EDITOR_ADDRESS_BLOCKED`): a redirect led to an origin that is not allowed.
   * @throws the reason of `signal`, once it is aborted.
   */
  healthcheck (options?: SignalOptions): Promise<boolean>

  /**
   * Sends a command.
   *
   * @throws InvalidKeyError (`FST_EDITOR_INVALID_KEY`): the key is empty, malformed, or foreign without `foreignKey`.
   * An empty key is never sent, because for the document server it means all forgotten files.
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): the command or a field of it is unknown, or `users` is
   *   not a list of strings.
   * @throws CommandFailedError (`FST_EDITOR_COMMAND_FAILED`): the document server answered with an error: `serverCode`
   * is its code, and the message explains it.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`), UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): there was no
   * usable answer within 10 seconds, or 10 minutes for `info` and `forcesave`, which may wait for the application.
   * @throws the reason of `signal`, once it is aborted.
   * @example
   * ```js
   * const { users } = await app.editorServer.command({ c: 'info', key: control.documentKey })
   * ```
   */
  command<C extends ServerCommand>(command: C, options?: ServerCommandOptions): Promise<ServerCommandResult<C>>

  /** Resolves to the document server's version, such as `9.3.0.140`. Rejects like `command`. */
  version (options?: SignalOptions): Promise<string>

  /** Resolves to the document server's license. Rejects like `command`. */
  license (options?: SignalOptions): Promise<ServerLicense>

  /**
   * Converts a document at the document server, and resolves as soon as the result begins to arrive. For a stored
   * document use `EditorControl.convert`.
   *
   * Check URLs that come from users: the document server requests them with a token of its own, and may reach hosts
   * that users cannot. Source: emulator/docs/document-server-protocol.md#conversion
   *
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): a field of the request or an option is invalid or
   * unknown; the message names it. Nothing was sent.
   * @throws ConversionTimeoutError (`FST_EDITOR_CONVERSION_TIMEOUT`): there was no result within `timeout`. Repeat the
   * same request to continue the conversion.
   * @throws ConversionFailedError (`FST_EDITOR_CONVERSION_FAILED`): the document server reported an error, or sent an
   * unusable answer or result. `serverCode` is the error's code, and the message explains it. `retryable` is true for
   * the codes -1, -2, -4 and -6, whose cause may pass. -3 is permanent: the document server gives the same answer for
   * the same key and options.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`), UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): a request
   * failed, returned a status other than 200, or exceeded one of the `timeouts`.
   * @throws AddressBlockedError (`FST_EDITOR_ADDRESS_BLOCKED`): the result's URL has an origin or IP address that is
   *   not allowed.
   * @throws TooLargeError (`FST_EDITOR_TOO_LARGE`): the result exceeds `maxFileSize`, or an answer exceeds 1 MiB.
   * @throws the reason of `signal`, once it is aborted, or an `Error` when the application closes. Reading the result
   *   fails in the same way.
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
   * @throws BuildFailedError (`FST_EDITOR_BUILD_FAILED`): the document server reported an error, or sent an unusable
   * answer. `serverCode` is the error's code, and the message explains it.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`), UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): as in
   *   `convert`.
   * @throws the reason of `signal`, once it is aborted.
   * @example
   * ```js
   * const { files } = await app.editorServer.build({ url: 'https://app.example.com/invoice.docbuilder', argument: { number: 17 } })
   * for (const file of files) await save(file.name, await (await file.fetch()).bytes())
   * ```
   */
  build (request: BuildRequest, options?: PollingOptions): Promise<BuildResult>

  /**
   * Resolves to the formats that the document server knows, what editors can do with them, and what they can be
   * converted to. The plugin asks the document server once an hour. It falls back to a built-in list if the document
   * server has none or does not respond within 10 seconds.
   *
   * @throws only the reason of `signal`, once it is aborted.
   * @example
   * ```js
   * const formats = await app.editorServer.formats()
   * const editable = formats.filter(({ actions }) => actions.includes('edit')).map(({ fileType }) => fileType)
   * ```
   */
  formats (options?: SignalOptions): Promise<readonly DocumentFormat[]>

  /**
   * Recovers saves that the application refused, or missed because it was down. The document server keeps them as
   * forgotten files, which otherwise only come back when somebody opens the document again. Each file is stored in its
   * document if it is newer, or else as a conflict copy, and then deleted at the document server. If the document no
   * longer exists, `onForgotten` receives the content. Files of other applications are left alone. `onSaved` is called
   * as for any save.
   *
   * Several instances may run this at the same time. On one instance, runs follow one another: do not await this in
   * `onForgotten` or another hook that a run waits for. If one file fails, the result and the log report it. Source:
   * emulator/docs/document-server-protocol.md#forgotten-files
   *
   * @throws CommandFailedError (`FST_EDITOR_COMMAND_FAILED`), UpstreamError (`FST_EDITOR_UPSTREAM`),
   *   UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): the list of forgotten files could not be read.
   * @throws the reason of `signal`, once it is aborted. The file that is being stored is finished first.
   * @example
   * ```js
   * for (const { fileId, outcome } of await app.editorServer.recoverForgotten()) app.log.info({ fileId, outcome })
   * ```
   */
  recoverForgotten (options?: RecoverForgottenOptions): Promise<readonly RecoveredFile[]>

  /**
   * Signs the argument of one of the editor's methods in the page, such as `setHistoryData`. Returns a copy as JSON,
   * with a `token` that contains exactly the other fields: the editor uses only the fields in the token. The token does
   * not expire.
   *
   * Sign only data that the application has composed itself, never an object that a user sent: the document server
   * accepts tokens of the same secret for conversions and configurations, too. Source:
   * emulator/docs/document-server-protocol.md#version-history
   *
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): the method is unknown, or a field is missing or invalid;
   * the message names it. Not allowed are `exp`, `iat` and `nbf`, because the token could then be used as the document
   * server's own token at this application, and a `c` that names a command, because the document server would execute
   * it. An answer that only reports an error, such as `{ error, version }`, needs no token.
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
