import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Clock } from './clock.js'
import type { FaultOptions, Faults } from './faults.js'
import type { Session } from './session.js'

export interface DocumentServerOptions {
  /** The secret shared with the host: checks what comes in, signs what goes out. In a list the first signs, all verify. */
  readonly jwtSecret: string | readonly string[]
  /** The header in which tokens are sent to the host. Default `Authorization`. */
  readonly authorizationHeader?: string
  /** What stands before the token there. Default `Bearer `. */
  readonly authorizationPrefix?: string
  /** Fastify's logger. Default: none. */
  readonly logger?: FastifyServerOptions['logger']
  /** What time it is and when timers are due. Default: the system's clock; `fakeClock()` is one that a test moves. */
  readonly clock?: Clock
  /** Default 0: a free port. */
  readonly port?: number
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** Address at which hosts and browsers reach this server, when it is not the one it listens at. */
  readonly publicUrl?: string
  /**
   * Further names it is reached by, without a port: that of its container, of a proxy. It answers to `localhost`, `127.0.0.1`,
   * `[::1]`, to `host` and the host of `publicUrl`, and when it listens at all addresses to each of them; a request that names
   * another host is refused with HTTP 421, because any web site can have its name resolve to this machine.
   */
  readonly allowedHosts?: readonly string[]
  /** Path of `soffice`; `false` never uses it. Default: `soffice` of the PATH, if there is one. */
  readonly libreOffice?: string | false
  /**
   * Serves `/emulator/`, by which a test in any language opens sessions, edits and breaks things. Default false. It asks for no
   * password: whoever reaches the port can use it. Pages of other origins can't.
   */
  readonly remoteControl?: boolean
  /**
   * What `requests`, `received` and what `callback()` has not given yet keep: so many of the last ones each, and of a body or an
   * answer at most so many bytes; a larger one is `null`, of a larger callback its key and status are left. Default: everything,
   * which is right for a test and too much for a process that runs for days.
   */
  readonly requestLog?: { readonly entries?: number, readonly bodyBytes?: number }
}

/** The configuration as handed to `DocsAPI.DocEditor`, its token included. What the token signs overrides the rest. */
export interface EditorConfig {
  readonly document?: {
    /** 1 to 255 characters of `0-9A-Za-z._=-`. */
    readonly key?: string | number | undefined
    readonly url?: string | undefined
    readonly title?: string | undefined
    readonly fileType?: string | undefined
    readonly permissions?: object | undefined
  } | undefined
  readonly editorConfig?: {
    /** Empty: nobody is told. */
    readonly callbackUrl?: string | undefined
    readonly mode?: string | undefined
    readonly lang?: string | undefined
    readonly user?: UserConfig | undefined
  } | undefined
  readonly token?: string | undefined
}

export interface UserConfig {
  /** Without one the editor makes one up. An empty one is kept: the document is never saved to the host then. */
  readonly id?: string | number | null | undefined
  /** Default `Anonymous`. With `firstname` and `lastname` these are shown instead. */
  readonly name?: string | undefined
  readonly firstname?: string | undefined
  readonly lastname?: string | undefined
  /** Stands before the name. */
  readonly group?: string | undefined
}

/** One request the document server made, with what it was answered. */
export interface HostRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The JSON that was sent. */
  readonly body: Readonly<Record<string, unknown>> | null
  /** `null` until there is one, and when there was none. */
  answer: { readonly status: number, readonly body: unknown } | null
  /** Why there was no answer. */
  error?: Error
}

/** One request made to the document server, with what it answered. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
  /** `null` until the answer's header was sent. */
  status: number | null
  /** What was answered: parsed when it is JSON, else text or bytes. */
  answer: unknown
}

export interface DocumentServerMembers {
  /** Where it is reached, without a slash at the end. */
  readonly url: string
  /** Address of its `api.js`: the plugin's option `editorApiUrl`. */
  readonly editorApiUrl: string
  /** All requests it made, in the order they were sent. A redirected one is listed once. */
  readonly requests: readonly HostRequest[]
  /** All requests it got but those of the editor page, in order of arrival. */
  readonly received: readonly ReceivedRequest[]
  /** Files whose save the host refused, by document key. */
  readonly forgotten: ReadonlyMap<string, { readonly fileType: string, readonly bytes: Uint8Array }>
  /**
   * Opens a document as a browser would, as `user` if the configuration's token does not name one.
   * Rejects with a `DocumentServerError` whose `code` is the one an editor is shown.
   */
  open (config: EditorConfig, user?: UserConfig): Promise<Session>
  /**
   * The next callback with this status, or with any, that this has not given before; waits for it, and for what the
   * host answers. Without an answer it comes with `error`.
   */
  callback (status?: number): Promise<HostRequest>
  /** Makes the next calls of a route go wrong. Returns what takes the fault back. */
  fault<Route extends keyof Faults>(route: Route, fault: Faults[Route], options?: FaultOptions): () => void
  /** Sets the clock that tokens are dated and checked by off by so many milliseconds; 0 mends it. */
  skewTokens (milliseconds: number): void
  /** Changes the secret of this side alone. */
  changeSecret (jwtSecret: string | readonly string[]): void
  /**
   * Dies at once: nothing more is sent, every connection is cut, none is accepted until `restart()`.
   * What had been stored by then is stored; the host gets the rest again, or not, as `restart()` says.
   */
  crash (): Promise<void>
  /**
   * Listens again at the same address. With `kept` sessions the changes are still there: a save that was under way is
   * sent again, editors may reconnect. With `lost` ones all that was not saved is gone; forgotten files are not.
   */
  restart (options: { readonly sessions: 'kept' | 'lost' }): Promise<void>
}

/** A listening document server: a Fastify instance. `close()` saves and leaves all sessions first. */
export type DocumentServer = FastifyInstance & DocumentServerMembers

/** What the document server answers an editor it refuses. `code` is the code the real one sends. */
export interface DocumentServerError extends Error {
  /** 4004 access denied, 4005 token expired, 4006 bad token, 4007 dropped by the host, 4008 saved meanwhile, -10 too large, -81 download failed. */
  readonly code: number
}
