import { X509Certificate } from 'node:crypto'
import type { LookupFunction, Socket } from 'node:net'
import { Agent, buildConnector, errors } from 'undici'
import type { EditorOptions } from '../../types/options.js'
import {
  AnyFunction, anyOf, listOf, Timeout, oneOf, rule, type Rules, stringThat, TrueOrFalse
} from '../util/validate.js'

type Timeouts = NonNullable<EditorOptions['timeouts']>
type Tls = NonNullable<EditorOptions['tls']>

export interface ConnectionOptions {
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

/** An agent that connects to any host. */
export function createAgent (options: ConnectionOptions): Agent {
  return agentWith(createConnector(options), options)
}

export function agentWith (connect: buildConnector.connector, { timeouts = {} }: ConnectionOptions): Agent {
  return new Agent({ headersTimeout: timeouts.headers ?? 30_000, bodyTimeout: timeouts.idle ?? 30_000, connect })
}

export function createConnector ({ timeouts = {}, tls = {}, lookup }: ConnectionOptions): buildConnector.connector {
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

type Options = Required<EditorOptions>

const isPem = stringThat(isCertificate)

/** Rules for the options of https connections. */
export const tlsRules: Rules<Options['tls']> = {
  rejectUnauthorized: TrueOrFalse,
  minVersion: oneOf('TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'),
  ca: rule(
    'must be certificates in PEM, not the path of a file: read it with fs.readFileSync(path, \'utf8\')',
    anyOf(isPem, listOf(isPem, { min: 1 }))
  )
}

/** Rules for the time limits of all connections. */
export const connectionTimeoutRules: Rules<Pick<Options['timeouts'], 'connect' | 'headers' | 'idle'>> = {
  connect: Timeout,
  headers: Timeout,
  idle: Timeout
}

export const connectionRules: Rules<ConnectionOptions> = {
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
