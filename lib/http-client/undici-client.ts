import { X509Certificate } from 'node:crypto'
import dns from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher, interceptors, request as send } from 'undici'
import type { EditorHttpClient, EditorHttpRequest, EditorHttpResponse } from '../../types/http.js'
import type { FastifyOnlyofficeOptions } from '../../types/options.js'
import { AddressBlockedError, UpstreamError } from '../errors.js'
import { isPublicIp, mayBePublicHost } from '../security/public-ip.js'
import { deferErrors, discard } from '../util/streams.js'
import { parseOrigin } from '../util/url.js'
import {
  AnyFunction, anyOf, assertOptions, listOf, oneOf, rule, type Rules, stringThat, Timeout, TrueOrFalse
} from '../util/validate.js'

type Timeouts = NonNullable<FastifyOnlyofficeOptions['timeouts']>
export type Tls = NonNullable<FastifyOnlyofficeOptions['tls']>

interface ConnectionOptions {
  /**
   * Time limits in milliseconds: `connect` for a connection including TLS, `headers` for the response headers, `idle`
   * for a pause in the body.
   *
   * @default { connect: 10_000, headers: 30_000, idle: 30_000 }
   */
  readonly timeouts?: Pick<Timeouts, 'connect' | 'headers' | 'idle'> | undefined
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
  readonly lookup?: LookupFunction | undefined
}

function agentWith (connect: buildConnector.connector, { timeouts = {} }: ConnectionOptions): Agent {
  return new Agent({ headersTimeout: timeouts.headers ?? 30_000, bodyTimeout: timeouts.idle ?? 30_000, connect })
}

function createConnector ({ timeouts = {}, tls = {}, lookup }: ConnectionOptions): buildConnector.connector {
  const { minVersion = 'TLSv1.2', rejectUnauthorized = true, ca } = tls
  return buildConnector({
    timeout: timeouts.connect ?? 10_000,
    rejectUnauthorized,
    minVersion,
    ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
    // OpenSSL 3 refuses TLS 1.0 and 1.1 at its default security level.
    ...(minVersion === 'TLSv1' || minVersion === 'TLSv1.1' ? { ciphers: 'DEFAULT@SECLEVEL=0' } : {}),
    ...(lookup === undefined ? {} : { lookup })
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
   * For requests with `publicOnly`, the client itself refuses `localhost` and IP addresses that are not public; the
   * dispatcher must check the IP addresses of other hosts, as `guardedDispatcher` does. A dispatcher that sends
   * requests through a proxy leaves this check to the proxy.
   *
   * Use a dispatcher of undici 8: with earlier versions, the process may crash when a connection ends while nobody
   * reads the body (nodejs/undici#5360).
   *
   * @default two dispatchers that the client creates, and which `close()` closes
   */
  readonly dispatcher?: Dispatcher | undefined
}

const rules: Rules<UndiciClientOptions> = {
  ...connectionRules,
  dispatcher: rule('must be a dispatcher of undici', isDispatcher)
}

/** Servers may compress without being asked. */
const decompress = interceptors.decompress({ skipErrorResponses: false })

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
export function undiciClient (options: UndiciClientOptions = {}): EditorHttpClient {
  assertOptions(rules, options)
  const { dispatcher, ...connections } = options
  const unrestricted = dispatcher ?? agentWith(createConnector(connections), connections)
  const guarded = dispatcher ?? guardedDispatcher(connections)
  const [toAny, toPublic] = [unrestricted.compose(decompress), guarded.compose(decompress)]

  return {
    async request (request) {
      const { url, publicOnly = false } = request
      if (publicOnly && !mayBePublicHost(url.hostname)) throw new AddressBlockedError(`${url.origin} is not allowed`)
      const response = await exchange(publicOnly ? toPublic : toAny, request)
      const encoding = response.header('content-encoding')?.trim().toLowerCase() ?? 'identity'
      if (encoding === 'identity') return response
      discard(response.body)
      throw new UpstreamError('the response has a Content-Encoding that was not requested and is not supported')
    },
    ...(dispatcher ? {} : { close: async () => { await Promise.all([unrestricted.destroy(), guarded.destroy()]) } })
  }
}

function isDispatcher (value: unknown): boolean {
  return typeof (value as Partial<Dispatcher> | null)?.compose === 'function'
}

/**
 * Sends one request and resolves when the response headers have arrived. Aborting the signal or destroying the body
 * ends the request. An error that occurs while nobody listens is kept for the reader of the body.
 */
async function exchange (
  dispatcher: Dispatcher, { url, method, headers, body, signal }: EditorHttpRequest
): Promise<EditorHttpResponse> {
  const response = await send(url, { dispatcher, method, headers: headers ?? {}, body: body ?? null, signal })
  const received = new Map(Object.entries(response.headers))
  return {
    status: response.statusCode,
    header: name => [received.get(name.toLowerCase())].flat()[0],
    body: deferErrors(response.body)
  }
}

export interface GuardedDispatcherOptions extends ConnectionOptions {
  /**
   * Origins that may have any IP address, such as `http://documentserver:80`. A request matches if its scheme, host and
   * port are the same.
   *
   * @default []
   */
  readonly allow?: readonly string[] | undefined
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
 * - It refuses `localhost`, IP addresses that are not public, and hosts with any IP address that is not public.
 * - It connects only to IP addresses that it has checked. There is no second lookup that could return something else
 *   (DNS rebinding).
 * - It checks every connection, and so also the targets of redirects.
 *
 * A refused request rejects with `AddressBlockedError` (`FST_EDITOR_ADDRESS_BLOCKED`); with `fetch`, that error is the
 * `cause` of its `TypeError`. The message contains the origin or host, but not its IP addresses. The application must
 * close the dispatcher.
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
