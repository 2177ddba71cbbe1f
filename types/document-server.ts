// The document server's own services. Source: docs/document-server-protocol.md#commands

/** Options of a single request to the document server. */
export interface RequestOptions {
  /** Cancels the request: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** Commands about one document key. */
interface KeyCommand {
  /** The document key: 1 to 128 characters of `[0-9A-Za-z._=-]`. */
  readonly key: string
}

/**
 * A command of the document server's command service, with the names that the service uses; `c` selects the command.
 * Source: docs/document-server-protocol.md#commands
 */
export type Command =
  /** The version of the document server. */
  | { readonly c: 'version' }
  /** Its license, build and quota. */
  | { readonly c: 'license' }
  /**
   * Who is editing. Before it answers, the document server sends the application a callback (1 or 4) with this `userdata` and
   * waits for the answer: do not await it in a hook that such a callback waits for.
   */
  | KeyCommand & { readonly c: 'info', readonly userdata?: string }
  /** Starts a force save: a callback 6 with this `userdata` follows. `EditorControl.forceSave` waits until it is stored. */
  | KeyCommand & { readonly c: 'forcesave', readonly userdata?: string }
  /** Tells editors to close: those of these users, or all. */
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
export interface CommandResults {
  /** Such as `9.3.0.140`. */
  readonly version: { readonly version: string }
  /** As the document server sends it, not validated. */
  readonly license: License
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
export type CommandResult<C extends Command> = CommandResults[C['c']]

/** The answer to the command `license`, not validated. */
export interface License {
  /** Limits and validity. `end_date` is `null` or absent for the open-source edition. */
  readonly license?: Readonly<Record<string, unknown>>
  /** Build and type of the server. */
  readonly server?: Readonly<Record<string, unknown>>
  /** Users that the license counts at the moment. */
  readonly quota?: Readonly<Record<string, unknown>>
}

/** Options of `EditorServer.command`. */
export interface CommandOptions extends RequestOptions {
  /**
   * Whether the key may be one that the plugin did not make: one that the application assigned as `documentKey`, or one of
   * another application that uses the same document server. Otherwise such a key is refused and nothing is sent.
   *
   * @default false
   */
  readonly foreignKey?: boolean
}

/** The document server's services: `app.editorServer`. All requests are signed, and have a deadline and a size limit. */
export interface EditorServer {
  /**
   * Whether the document server says that it works. Resolves to `false` if it says that its database, queue or storage fails.
   *
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`): there is no answer, or not one of a document server.
   * @throws UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): it did not answer within 10 seconds.
   * @throws AddressBlockedError (`FST_EDITOR_ADDRESS_BLOCKED`): a redirect led to an origin that is not allowed.
   * @throws the reason of `signal`, once it is aborted.
   */
  healthcheck (options?: RequestOptions): Promise<boolean>

  /**
   * Sends a command.
   *
   * @throws InvalidKeyError (`FST_EDITOR_INVALID_KEY`): the key is empty, malformed, or foreign without `foreignKey`. At the
   * document server an empty key means all forgotten files.
   * @throws CommandFailedError (`FST_EDITOR_COMMAND_FAILED`): the document server answered with an error; `serverCode` is its
   * code, and the message explains it.
   * @throws UpstreamError (`FST_EDITOR_UPSTREAM`), UpstreamTimeoutError (`FST_EDITOR_UPSTREAM_TIMEOUT`): there is no usable
   * answer, or not within 10 seconds (10 minutes for `info` and `forcesave`, which may wait for the application).
   * @throws the reason of `signal`, once it is aborted.
   * @example
   * ```js
   * const { users } = await app.editorServer.command({ c: 'info', key: control.documentKey })
   * ```
   */
  command<C extends Command>(command: C, options?: CommandOptions): Promise<CommandResult<C>>

  /**
   * The document server's version, such as `9.3.0.140`. Rejects as `command` does.
   */
  version (options?: RequestOptions): Promise<string>

  /** The document server's license. Rejects as `command` does. */
  license (options?: RequestOptions): Promise<License>
}
