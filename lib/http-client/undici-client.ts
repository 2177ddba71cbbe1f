import { X509Certificate } from 'node:crypto'
import dns from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { Agent, buildConnector, type Dispatcher, errors } from 'undici'
import type { HttpClient, HttpResponse } from '../../types/http.js'
import type { EditorOptions } from '../../types/options.js'
import { AddressBlockedError, UpstreamError } from '../errors.js'
import { isPublicIp, mayBePublicHost } from '../security/public-ip.js'
import { discard, endArrived } from '../util/streams.js'
import { parseOrigin } from '../util/url.js'
import {
  AnyFunction, anyOf, assertOptions, listOf, oneOf, rule, type Rules, stringThat, Timeout, TrueOrFalse
} from '../util/validate.js'

type Timeouts = NonNullable<EditorOptions['timeouts']>
export type Tls = NonNullable<EditorOptions['tls']>

interface ConnectionOptions {
  /**
   * Time limits in milliseconds: `connect` for a connection including TLS, `headers` for the response headers, `idle`
   * for a pause in the body.
   *
   * @default { connect: 10_000, headers: 30_000, idle: 30_000 }
   */
  readonly timeouts?: Pick<Timeouts, 'connect' | 'headers' | 'idle'>
  /**
   * Requirements of https connections. `ca` replaces the default certificate authorities.
   *
   * @default { rejectUnauthorized: true, minVersion: 'TLSv1.2' }, with the certificate authorities of Node.js
   */
  readonly tls?: { readonly [Name in keyof Tls]: Tls[Name] | undefined }
  /**
   * Resolves host names, like the `lookup` option of `net.connect`.
   *
   * @default dns.lookup
   */
  readonly lookup?: LookupFunction
}

function agentWith (connect: buildConnector.connector, { timeouts = {} }: ConnectionOptions): Agent {
  return new Agent({ headersTimeout: timeouts.headers ?? 30_000, bodyTimeout: timeouts.idle ?? 30_000, connect })
}

function createConnector ({ timeouts = {}, tls = {}, lookup }: ConnectionOptions): buildConnector.connector {
  const { minVersion = 'TLSv1.2', rejectUnauthorized = true, ca } = tls
  const connect = buildConnector({
    timeout: timeouts.connect ?? 10_000,
    rejectUnauthorized,
    minVersion,
    ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
    // OpenSSL 3 refuses TLS 1.0 and 1.1 at its default security level.
    ...(minVersion === 'TLSv1' || minVersion === 'TLSv1.1' ? { ciphers: 'DEFAULT@SECLEVEL=0' } : {}),
    ...(lookup === undefined ? {} : { lookup })
  })
  return (target, callback) =>
    connect(target, (...[error, socket]) => error ? callback(error, null) : callback(null, deferSocketEnd(socket)))
}

/**
 * Delays the end of a connection until undici has read everything before it. undici 7 crashes the process if a
 * connection ends or is reset while a body waits to be read, and makes complete bodies fail (nodejs/undici#5360). Can
 * be removed with undici 8, which needs Node.js 22.
 */
function deferSocketEnd<Connection extends Socket> (socket: Connection): Connection {
  const { push, read, destroy } = socket
  let isEnded = false
  let isNotifying = false

  /** Makes undici read, unless a body is waiting: then undici ignores the event. */
  function notify (): void {
    isNotifying = true
    socket.emit('readable')
    isNotifying = false
  }

  return Object.assign(socket, {
    push (chunk: unknown, encoding?: BufferEncoding) {
      isEnded ||= chunk === null
      return push.call(socket, chunk, encoding)
    },

    read (size?: number) {
      if (!isEnded || isNotifying) return read.call(socket, size)
      if (size === 0) return null // a call by Node.js, which would emit the end
      // reading more would emit the end, too
      if (socket.readableLength > 0) return read.call(socket, socket.readableLength)
      process.nextTick(notify) // the data read before may make a body wait again: then the end has to wait as well
      return null
    },

    /** undici mistakes an ECONNRESET for the end of a body without a length. */
    destroy: (error?: NodeJS.ErrnoException) =>
      destroy.call(socket, error?.code === 'ECONNRESET' ? new errors.SocketError(error.message) : error)
  })
}

const isPem = stringThat(isCertificate)

/** Rules for the options of https connections. */
export const tlsRules: Rules<Tls> = {
  rejectUnauthorized: TrueOrFalse,
  minVersion: oneOf('TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'),
  ca: rule(
    'must be certificates in PEM, not the path of a file: read it with fs.readFileSync(path, \'utf8\')',
    anyOf(isPem, listOf(isPem, { min: 1 }))
  )
}

/** Rules for the time limits of all connections. */
export const connectionTimeoutRules: Rules<NonNullable<ConnectionOptions['timeouts']>> = {
  connect: Timeout,
  headers: Timeout,
  idle: Timeout
}

const connectionRules: Rules<ConnectionOptions> = {
  timeouts: connectionTimeoutRules,
  tls: tlsRules,
  lookup: AnyFunction
}

function isCertificate (text: string): boolean {
  try {
    return text.includes('-----BEGIN ') && new X509Certificate(text).subject !== undefined
  } catch {
    return false
  }
}

export interface UndiciClientOptions extends ConnectionOptions {
  /**
   * An undici dispatcher for all requests, such as a `ProxyAgent` or `MockAgent`. The client then ignores `timeouts`,
   * `tls` and `lookup`, and does not close the dispatcher.
   *
   * For requests with `publicOnly` the client refuses IP addresses that are not public and `localhost`; the dispatcher
   * has to check the IP addresses that other hosts resolve to, as `guardedDispatcher` does. A dispatcher that sends
   * requests through a proxy leaves that check to the proxy.
   *
   * With a dispatcher of undici 7 other than `guardedDispatcher`, the process may crash when a connection ends while
   * nobody reads the body (nodejs/undici#5360).
   *
   * @default two dispatchers that the client creates, and which `close()` closes
   */
  readonly dispatcher?: Dispatcher
}

const rules: Rules<UndiciClientOptions> = {
  ...connectionRules,
  dispatcher: rule('must be a dispatcher of undici', isDispatcher)
}

const decoders = new Map([
  ['gzip', createGunzip], ['x-gzip', createGunzip], ['deflate', createInflate], ['br', createBrotliDecompress]
])

/**
 * Creates the default HTTP client, which uses undici. Requests with `publicOnly` have connections of their own, made by
 * a `guardedDispatcher`. `close()` ends all requests and connections.
 *
 * `request` rejects with `AddressBlockedError` (`FST_EDITOR_ADDRESS_BLOCKED`) when `publicOnly` forbids the URL, with
 * `UpstreamError` (`FST_EDITOR_UPSTREAM`) for an unsupported `Content-Encoding`, and otherwise with undici's error.
 *
 * @example
 * ```js
 * import { readFileSync } from 'node:fs'
 * import editor, { undiciClient } from 'fastify-onlyoffice'
 *
 * const httpClient = undiciClient({ timeouts: { connect: 5_000 }, tls: { ca: readFileSync('ca.pem', 'utf8') } })
 * app.addHook('onClose', () => httpClient.close())
 * await app.register(editor, { ...options, httpClient })
 * ```
 */
export function undiciClient (options: UndiciClientOptions = {}): HttpClient {
  assertOptions(rules, options)
  const { dispatcher, ...connections } = options
  const unrestricted = dispatcher ?? agentWith(createConnector(connections), connections)
  const guarded = dispatcher ?? guardedDispatcher(connections)

  return {
    async request ({ method, url, headers, body, publicOnly = false, signal }) {
      if (publicOnly && !mayBePublicHost(url.hostname)) throw new AddressBlockedError(`${url.origin} is not allowed`)
      const target = {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: headers ?? {},
        body: body ?? null
      }
      const response = await exchange(publicOnly ? guarded : unrestricted, target, signal)
      const encoding = response.header('content-encoding')?.trim().toLowerCase() ?? 'identity'
      return encoding === 'identity' ? response : decoded(response, encoding)
    },
    ...(dispatcher ? {} : { close: async () => { await Promise.all([unrestricted.destroy(), guarded.destroy()]) } })
  }
}

function isDispatcher (value: unknown): boolean {
  return typeof (value as Partial<Dispatcher> | null)?.dispatch === 'function'
}

function decoded ({ status, header, body }: HttpResponse, encoding: string): HttpResponse {
  const createDecoder = decoders.get(encoding)
  if (!createDecoder) {
    discard(body)
    throw new UpstreamError('the response has a Content-Encoding that was not requested and is not supported')
  }
  const decoder = createDecoder()
  // pipeline() stops listening once everything is written, but a truncated body fails later than that. Readers still
  // get the error.
  decoder.on('error', () => {})
  return {
    status,
    header: name => /^content-(encoding|length)$/i.test(name) ? undefined : header(name),
    body: pipeline(body, decoder, () => {})
  }
}

/** As much as is kept for a reader that does not read. */
const HIGH_WATER_MARK = 64 * 1024

/**
 * Sends one request and resolves when the response headers have arrived. Aborting the signal or destroying the body
 * ends the request. An error that occurs while nobody listens is kept for the reader of the body.
 *
 * The handler has the callbacks that undici's own `request` uses: every dispatcher up to undici 7 knows them.
 */
function exchange (
  dispatcher: Dispatcher, request: Dispatcher.DispatchOptions, signal: AbortSignal
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let endRequest: ((reason?: Error) => void) | undefined
    let body: Readable | undefined

    function onAbort (): void {
      reject(signal.reason)
      if (body) body.destroy(signal.reason)
      else endRequest?.(signal.reason)
    }

    signal.throwIfAborted()
    signal.addEventListener('abort', onAbort)
    dispatcher.dispatch(request, {
      onConnect (abort) {
        endRequest = abort
        if (signal.aborted) abort(signal.reason)
      },

      onHeaders (status, headers, resume) {
        if (status < 200) return true
        body = new Readable({
          highWaterMark: HIGH_WATER_MARK,
          read: resume,
          destroy (error, callback) {
            endRequest?.(error ?? undefined)
            callback(error)
          }
        })
        body.on('error', () => {})
        resolve({ status, header: name => firstValue(headers, name.toLowerCase()), body })
        return true
      },

      onData: chunk => body!.push(chunk),

      onComplete () {
        endRequest = undefined
        signal.removeEventListener('abort', onAbort)
        endArrived(body!)
      },

      onError (error) {
        signal.removeEventListener('abort', onAbort)
        reject(error)
        body?.destroy(error)
      }
    })
  })
}

/**
 * The names and values of raw headers alternate. An interceptor may put the values of a repeated header into one array.
 */
function firstValue (headers: ReadonlyArray<Buffer | Buffer[]>, name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) {
    const isNamed = headers[index]!.length === name.length && headers[index]!.toString('latin1').toLowerCase() === name
    if (isNamed) return [headers[index + 1]!].flat()[0]?.toString('latin1')
  }
  return undefined
}

export interface GuardedDispatcherOptions extends ConnectionOptions {
  /**
   * Origins that may have any IP address, such as `http://documentserver:80`. A request is allowed if its scheme, host
   * and port are those of one of them.
   *
   * @default []
   */
  readonly allow?: readonly string[]
}

const dispatcherRules: Rules<GuardedDispatcherOptions> = {
  ...connectionRules,
  allow: rule(
    'must be a list of http(s) origins such as https://docs.example.com',
    listOf(stringThat(value => parseOrigin(value) !== undefined))
  )
}

/**
 * Creates an undici dispatcher that connects to public IP addresses only. It protects against server-side request
 * forgery (SSRF) when the application requests URLs that users provide.
 *
 * - It refuses URLs with an IP address that is not public, with `localhost`, and with a host of which any IP address is
 *   not public.
 * - It connects to exactly the IP addresses it has checked. There is no second lookup with a different result (DNS
 *   rebinding).
 * - It checks every connection, and so also the targets of redirects.
 *
 * A refused request rejects with `AddressBlockedError` (`FST_EDITOR_ADDRESS_BLOCKED`), whose message contains the
 * origin or host but not the IP addresses it resolves to; with `fetch` that error is the `cause` of its `TypeError`.
 * The application has to close the dispatcher.
 *
 * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `allow` contains something other than http(s) origins.
 *
 * @example
 * ```js
 * import { guardedDispatcher, undiciClient } from 'fastify-onlyoffice'
 * import { fetch } from 'undici'
 *
 * const dispatcher = guardedDispatcher({ allow: ['http://documentserver'] })
 * app.addHook('onClose', () => dispatcher.close())
 *
 * const response = await fetch(urlFromUser, { dispatcher })
 * await app.register(editor, { ...options, httpClient: undiciClient({ dispatcher }) })
 * ```
 */
export function guardedDispatcher (options: GuardedDispatcherOptions = {}): Dispatcher {
  assertOptions(dispatcherRules, options)
  const { allow = [], ...connections } = options
  const allowedOrigins = new Set(allow.map(parseOrigin))
  const connectToAny = createConnector(connections)
  const connectToPublic = createConnector({ ...connections, lookup: publicLookup(connections.lookup ?? dns.lookup) })

  const connect: buildConnector.connector = (target, callback) => {
    const { protocol, hostname, host = hostname } = target
    const { origin } = new URL(`${protocol}//${host}`)
    if (allowedOrigins.has(origin)) return connectToAny(target, callback)
    if (!mayBePublicHost(hostname)) return callback(new AddressBlockedError(`${origin} is not allowed`), null)
    connectToPublic(target, (...[error, socket]) => {
      if (error) return callback(error, null)
      if (isPublicIp(socket.remoteAddress ?? '')) return callback(null, socket)
      socket.destroy()
      callback(new AddressBlockedError(`${origin} is not allowed`), null)
    })
  }
  return agentWith(connect, connections)
}

/** A lookup that fails unless all IP addresses of the host are public. */
function publicLookup (lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, result) => {
      if (error) return callback(error, [])
      const ips = typeof result === 'string' ? [result] : result.map(({ address }) => address)
      const [first] = ips
      if (!first) return callback(Object.assign(new Error(`${hostname} has no IP address`), { code: 'ENOTFOUND' }), [])
      if (!ips.every(isPublicIp)) return callback(new AddressBlockedError(`${hostname} is not allowed`), [])
      if (options.all) callback(null, ips.map(address => ({ address, family: isIP(address) })))
      else callback(null, first, isIP(first))
    })
  }
}
