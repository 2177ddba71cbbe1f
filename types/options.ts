import type { FastifyRequest, LogLevel, RouteOptions } from 'fastify'
import type { CallbackEvent, SavedEvent, SaveFailedEvent } from './events.js'
import type { HttpClient } from './http.js'
import type { Storage } from './storage.js'

/** `secure` is the default; `classic` behaves to the letter as the original control, which checks nothing. */
export type Profile = 'secure' | 'classic'

/** What a request asks of the handler. */
export type AuthorizeTarget =
  | { readonly action: 'callback' | 'download', readonly fileId: string }
  /** `fileId`: of the page that asks, when it names one. */
  | { readonly action: 'proxy', readonly url: string, readonly fileId?: string }

export interface EditorOptions {
  /** Address of the document server's `api.js`, as the browser reaches it. */
  readonly editorApiUrl: string
  /** The secret shared with the document server. In a list the first signs and all verify. */
  readonly jwtSecret: string | readonly string[]
  /** Base address of this service, as the document server reaches it. Instances of one service must agree on it. */
  readonly publicBaseUrl: string
  /** Path of the handler. Default `/Controls/Editor/EditorHandler.ashx`. */
  readonly path?: string
  /** Prefix of the handler's path, below the prefix of the scope. */
  readonly prefix?: string
  /** Default `secure`. */
  readonly profile?: Profile
  /** Default: `fileStorage({ directory: 'App_Data/uploads' })` under the working directory. */
  readonly storage?: Storage
  /** Default: `undiciClient()`. */
  readonly httpClient?: HttpClient
  readonly documentServer?: {
    /** Origin at which this service reaches the document server, when it is not the public one. */
    readonly internalUrl?: string
    /** Further origins whose URLs are accepted from the document server. `any`: the default of `classic`. */
    readonly origins?: readonly string[] | 'any'
    /** Header in which the document server sends its token. Default `Authorization`. */
    readonly authorizationHeader?: string
    /** What stands before the token in that header. Default `Bearer `. */
    readonly authorizationPrefix?: string
  }
  readonly proxy?: {
    /**
     * What the proxy action may fetch besides the document server's result files (`…/cache/files/…`): whole origins, or what
     * is at a path and below it. Default: nothing; `any` in `classic`.
     */
    readonly allow?: ReadonlyArray<string | { readonly origin: string, readonly path: string }> | 'any'
    /**
     * Whether the proxy action wants the token of a page with an editor, as `render()` and `proxyToken` of its control give it,
     * in the header `x-editor-proxy-token`, with the page's `fileId` in the query. Default `true`; `false` in `classic`.
     */
    readonly requireToken?: boolean
    /** Whether pages of other origins may use the proxy action, and pages run, embed or look like what is proxied. Default `false`; `true` in `classic`. */
    readonly crossOrigin?: boolean
  }
  readonly tls?: {
    /** Whether the certificates of outbound calls are verified. Default `true`; `false` in `classic`. */
    readonly rejectUnauthorized?: boolean
    /** Default `TLSv1.2`; `TLSv1` in `classic`. */
    readonly minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
    /** Certificate authorities in PEM, instead of the system's. */
    readonly ca?: string | readonly string[]
  }
  /**
   * Whether an address that no option names may be a private, local or otherwise special one. It matters where `any` origin
   * is allowed. Default `false`; `true` in `classic`.
   */
  readonly allowPrivateAddresses?: boolean
  /** Whether a `jwtSecret` of less than 32 bytes, or one found in public examples, is accepted. Default `false`; `true` in `classic`. */
  readonly allowWeakSecret?: boolean
  /**
   * Whether callbacks must carry the document server's token, for a key of their file; and, where URLs are not signed, downloads
   * one for their URL. Default `true`; `false` in `classic`.
   */
  readonly requireToken?: boolean
  /**
   * Whether the control signs its download and callback URLs, and the handler wants the signature: of a callback besides the
   * token, of a download instead of any token. Default `true`; `false` in `classic`.
   */
  readonly signedUrls?: boolean
  /** Milliseconds that a signed download URL and a page's proxy token are good for. Default 24 h. A callback URL does not expire. */
  readonly downloadUrlLifetime?: number
  /** On status 3: `keep` has the document server keep the user's changes, `discard` has it delete them (`classic`). */
  readonly onCorrupted?: 'keep' | 'discard'
  /** On a save of a file that is gone: `reject` makes it a forgotten file, `acknowledge` loses it (`classic`). */
  readonly onMissingFile?: 'reject' | 'acknowledge'
  /** On a save in another format: `follow` stores it under its own extension, `ignore` under the old one (`classic`). */
  readonly onFormatChange?: 'follow' | 'ignore'
  /**
   * On a save of a file that someone else changed during the session: `keep-both` stores what was edited as a new file
   * and tells `onSaved`, `overwrite` replaces the file (`classic`).
   */
  readonly onConflict?: 'keep-both' | 'overwrite'
  /** How often a saved file is fetched again after a failure that may pass, within `timeouts.total`. Default 2. */
  readonly saveRetries?: number
  /**
   * Decides for the host's own users: `true` allows what carries no credential, `false` denies what carries one,
   * `undefined` leaves it to the rules. Anything else, a throw, a rejection, or no decision within `timeouts.host` denies.
   * What is signed wrongly stays refused, and so does a callback without its credentials that a browser sent. About a callback
   * whose URL is not signed it is asked before the body is read.
   */
  readonly authorize?: (request: FastifyRequest, target: AuthorizeTarget) => boolean | undefined | Promise<boolean | undefined>
  /** Told of every callback that is genuine, before it is acted on. Errors, and no end within `timeouts.host`, are logged and change nothing. */
  readonly onCallback?: (event: CallbackEvent) => void | Promise<void>
  /**
   * Told of every save after it is durable, at least once: what a process that ended had no time to tell is told with the next
   * save of the file. Errors, and no end within `timeouts.host`, are logged and change nothing.
   */
  readonly onSaved?: (event: SavedEvent) => void | Promise<void>
  /** Told once of every save that was refused for good. Errors, and no end within `timeouts.host`, are logged and change nothing. */
  readonly onSaveFailed?: (event: SaveFailedEvent) => void | Promise<void>
  /** Bytes, counted after decoding, of a saved or proxied file. Default 1 GiB. */
  readonly maxFileSize?: number
  /** Bytes of a callback's body. Default 4 MiB. */
  readonly bodyLimit?: number
  /**
   * Milliseconds. Of outbound calls: to connect (10 s), for the response headers (30 s), between two chunks (30 s), in
   * all (5 min). Of a callback's body to arrive: `body` (30 s). Of the host's own `authorize`, `onCallback`, `onSaved` and `onSaveFailed`: `host` (30 s). Of one call of the
   * storage, beside the time that a download takes: `storage` (30 s). `session` (1 h): when a session that was not heard of
   * for so long is to be joined, the document server is asked whether there still is one. `close` (30 s): how long saves under
   * way are waited for when the app closes.
   */
  readonly timeouts?: {
    readonly connect?: number
    readonly headers?: number
    readonly idle?: number
    readonly total?: number
    readonly body?: number
    readonly host?: number
    readonly storage?: number
    readonly session?: number
    readonly close?: number
  }
  readonly logLevel?: LogLevel
  readonly constraints?: RouteOptions['constraints']
}
