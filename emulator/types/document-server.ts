import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Clock } from './clock.js'
import type { FaultOptions, Faults } from './faults.js'
import type { EditorEvent, Session } from './session.js'

/** One secret, or several: the first signs and all verify. */
export type JwtSecret = string | readonly string[]

/** Secrets by direction, like the settings `secret.inbox` and `secret.outbox` of ONLYOFFICE Docs. */
export interface SeparateSecrets {
  /** Verifies what the document server receives: configurations, commands, conversions. */
  readonly inbox: JwtSecret
  /** Signs what it sends: callbacks and downloads. */
  readonly outbox: JwtSecret
}

/** The versions that it can emulate. */
export type KnownVersion = '9.3' | '9.4' | '10.0'

/** Values of the claim `operation`, by the place of the claim. */
export interface SentOperations {
  /** At the top level of a callback's body token. */
  readonly body?: string | undefined
  /** Beside `payload` in a callback's header token. */
  readonly header?: string | undefined
  /** Inside `payload` of a callback's header token. */
  readonly payload?: string | undefined
  /** Beside `payload` in the token of a download. */
  readonly download?: string | undefined
}

/** Options of `createDocumentServer()`. */
export interface DocumentServerOptions {
  /** The secret shared with the application, or one for each direction. */
  readonly jwtSecret: JwtSecret | SeparateSecrets
  /**
   * Which directions use tokens, like the settings `token.enable.request.inbox`, `token.enable.browser` and
   * `token.enable.request.outbox` of ONLYOFFICE Docs. Without `inbox`, requests need no token: their plain fields are
   * used, tokens in them are ignored, and downloads for conversions carry none. Without `browser`, the same applies to
   * the configurations of editors. Without `outbox`, callbacks and downloads carry no token. `browser` defaults to
   * `inbox`.
   *
   * @default { inbox: true, outbox: true }
   */
  readonly tokens?: { readonly inbox?: boolean, readonly outbox?: boolean, readonly browser?: boolean }
  /**
   * The version to emulate, and to report in the command `version`, the license and the history in callbacks. A full
   * number such as `9.3.1` or `10.0.0.37` is reported unchanged, and behaves like the newest emulated version that is
   * not later.
   *
   * 9.3 is emulated from recordings, 9.4 and 10.0 from their public documentation.
   *
   * @default '9.3'
   */
  readonly version?: KnownVersion | (string & {})
  /**
   * The setting `token.purposeCheck` of 10.0: how to check the claim `operation` in received tokens. `validate` refuses
   * a token for another operation, and a token with the claim where no operation is defined, such as a configuration.
   * `strict` also requires the claim for conversions, commands and document builds. `off` ignores it. It cannot be set
   * with an older version.
   *
   * @default 'validate' with 10.0
   */
  readonly purposeCheck?: 'off' | 'validate' | 'strict'
  /**
   * The claim `operation` of the tokens that it sends. The values of the real document server are not documented, so
   * you can set any; `undefined` leaves the claim out.
   *
   * @default { body: 'callback', header: 'callback', download: 'download' } with 10.0; none with older versions
   */
  readonly operations?: SentOperations
  /**
   * Which services are on. `converter` and `docbuilder` are like the settings `convertServiceEnable` and
   * `docbuilderEnable`: the paths of a service that is off answer 403. Turn `page` off for tests that open documents
   * with `open()`: then nothing of the editor's page is loaded.
   *
   * @default { converter: true, docbuilder: true, page: true }
   */
  readonly services?: { readonly converter?: boolean, readonly docbuilder?: boolean, readonly page?: boolean }
  /**
   * The header with the token in requests to the application.
   *
   * @default 'Authorization'
   */
  readonly authorizationHeader?: string
  /**
   * The text before the token in this header.
   *
   * @default 'Bearer '
   */
  readonly authorizationPrefix?: string
  /**
   * Fastify's option `logger`.
   *
   * @default false
   */
  readonly logger?: FastifyServerOptions['logger']
  /**
   * The source of time and timers. `fakeClock()` creates one that a test advances.
   *
   * @default the system's clock
   */
  readonly clock?: Clock
  /**
   * Whether the application uses the same clock. If not, tokens are dated at most 50 s ahead of the system's time,
   * because the application would reject later ones.
   *
   * @default false
   */
  readonly sharedClock?: boolean
  /**
   * The port to listen on; 0 for any free port.
   *
   * @default 0
   */
  readonly port?: number
  /**
   * The IP address or name to listen on.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string
  /**
   * The URL at which applications and browsers reach this server.
   *
   * @default the URL it listens at
   */
  readonly publicUrl?: string
  /**
   * Other host names at which this server can be reached, without a port, such as the name of a container or a proxy.
   * Requests for `localhost`, `127.0.0.1`, `[::1]`, `host` and the host of `publicUrl` are always answered; if it
   * listens on all interfaces, requests for any IP address are answered, too. All others get HTTP 421, because any
   * website can make its name resolve to this machine.
   *
   * @default []
   */
  readonly allowedHosts?: readonly string[]
  /**
   * The path of `soffice`, which converts documents. `false` never uses it.
   *
   * @default soffice on the PATH, if present
   */
  readonly libreOffice?: string | false
  /**
   * Whether to serve an HTTP interface at `/emulator/`, with which tests in any language can open sessions, edit and
   * add faults. It has no password: everybody who can reach the port can use it, except pages of other origins.
   *
   * @default false
   */
  readonly remoteControl?: boolean
  /**
   * Limits for `sentRequests`, `receivedRequests` and the callbacks that `nextCallback()` has not returned yet. Each
   * keeps the latest `entries`. A body or answer of more than `bodyBytes` bytes becomes `null`; a larger callback keeps
   * only its key and status. A process that runs for days needs limits, a test does not.
   *
   * @default no limits
   */
  readonly requestLog?: { readonly entries?: number, readonly bodyBytes?: number }
}

/** The configuration for `DocsAPI.DocEditor`, with its token. Values signed by the token override the others. */
export interface EditorConfig {
  readonly document?: {
    /** 1 to 255 characters of `0-9A-Za-z._=-`. */
    readonly key?: string | number | undefined
    readonly url?: string | undefined
    readonly title?: string | undefined
    readonly fileType?: string | undefined
    readonly permissions?: object | undefined
    /**
     * How to read a csv or txt file: `codePage`, `delimiter` and `delimiterChar`. If they are absent, the separator of
     * a csv file is guessed.
     */
    readonly options?: object | undefined
  } | undefined
  readonly editorConfig?: {
    /** If empty, no callbacks are sent. */
    readonly callbackUrl?: string | undefined
    readonly mode?: string | undefined
    readonly lang?: string | undefined
    readonly user?: UserConfig | undefined
  } | undefined
  readonly token?: string | undefined
}

/** The user of an editor. */
export interface UserConfig {
  /** If it is absent, the editor creates one. An empty id is kept, and then the document is never saved. */
  readonly id?: string | number | null | undefined
  /**
   * The displayed name. `firstname` and `lastname` together take precedence.
   *
   * @default 'Anonymous'
   */
  readonly name?: string | undefined
  readonly firstname?: string | undefined
  readonly lastname?: string | undefined
  /** Displayed before the name. */
  readonly group?: string | undefined
}

/** How a scripted session reaches the document server. */
export interface ConnectionOptions {
  /**
   * Headers of its connection, such as `X-Forwarded-Host` or `X-Forwarded-Prefix`. The document server uses the headers
   * of whoever opened a document last for the beginning of the URLs in callbacks. They replace the headers of a browser
   * that uses `url`.
   */
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that the document server sent to the application, with the answer. */
export interface SentRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The JSON that was sent. */
  readonly body: Readonly<Record<string, unknown>> | null
  /** `null` until the answer arrives, and if the request failed. */
  answer: { readonly status: number, readonly body: unknown } | null
  /** Why the request failed. */
  error?: Error
}

/** A request that the document server received, with its answer. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
  /** The HTTP status; `null` until the answer is sent. */
  status: number | null
  /** The body of the answer: parsed if it is JSON, else a string or bytes. */
  answer: unknown
}

export interface DocumentServerMembers {
  /** The URL of this server, without a trailing slash. */
  readonly url: string
  /** The URL of its `api.js`. */
  readonly editorApiUrl: string
  /** All requests it sent, in order. A redirected request is listed once. */
  readonly sentRequests: readonly SentRequest[]
  /** All requests it received, in order, except those of its editor page, its status page and `/emulator/`. */
  readonly receivedRequests: readonly ReceivedRequest[]
  /**
   * Forgotten files, whose save the application refused, by document key. `storedAt` is in milliseconds since the
   * epoch.
   */
  readonly forgotten: ReadonlyMap<
    string,
    { readonly fileType: string, readonly bytes: Uint8Array, readonly storedAt: number }
  >
  /**
   * Opens a document like a browser. `user` applies if the token names no user.
   *
   * @throws {DocumentServerError} with the code that the editor shows, if the document server refuses the configuration
   *   or can't download the document.
   * @throws {TypeError} if `config` is no object, or `headers` no object of texts.
   *
   * @example
   * const session = await documentServer.open(config)
   * await session.edit('new text')
   * const { accepted } = await session.close()
   */
  open (config: EditorConfig, user?: UserConfig, connection?: ConnectionOptions): Promise<Session>
  /**
   * Resolves to the next callback with this status, or with any status, once the application has answered. Each
   * callback is returned once. If the application did not answer, it has an `error`.
   */
  nextCallback (status?: number): Promise<SentRequest>
  /**
   * Adds a fault to the next calls of a route. Returns a function that removes it.
   *
   * @throws {TypeError} if the route, the fault or the options are invalid.
   *
   * @example
   * documentServer.fault('file', { type: 'reset', afterBytes: 100 }, { times: 2 })
   */
  fault<Route extends keyof Faults>(route: Route, fault: Faults[Route], options?: FaultOptions): () => void
  /** Shifts the clock that dates and checks tokens; 0 restores it. */
  skewTokens (milliseconds: number): void
  /**
   * Changes the secret of the document server, but not of the application. A single secret, or a list, applies to both
   * directions.
   *
   * @throws {TypeError} if a secret is missing or empty.
   */
  changeSecret (jwtSecret: JwtSecret | SeparateSecrets): void
  /**
   * Crashes the server: it sends nothing more, cuts every connection and accepts none until `restart()`.
   *
   * @throws {TypeError} if it has already crashed.
   */
  crash (): Promise<void>
  /**
   * Listens again on the same IP address and port. With `sessions: 'kept'`, unsaved changes still exist: saves that
   * were under way are repeated, and editors may reconnect. With `'lost'`, they are gone. Forgotten files are kept in
   * both cases.
   *
   * @throws {TypeError} if it has not crashed.
   */
  restart (options: { readonly sessions: 'kept' | 'lost' }): Promise<void>
}

/**
 * A listening document server. It is a Fastify instance; `close()` first disconnects everybody and saves all documents.
 */
export type DocumentServer = FastifyInstance & DocumentServerMembers

/** An error that the editor shows. */
export interface DocumentServerError extends Error {
  /**
   * The code that ONLYOFFICE Docs sends: 4004 access denied, 4005 token expired, 4006 invalid token, 4007 dropped by
   * the application, 4008 saved meanwhile, -10 too large, -80 in no known format, -81 download failed, -82 conversion
   * failed, -90 protected by a password. `null` for a token that is not valid yet, which has none.
   */
  readonly code: number | null
  /** The events of the editor so far, if it had joined. */
  readonly events?: readonly EditorEvent[]
}
