import type { LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import type { EditorOptions } from '../../types/options.js'
import { deferSocketEnd } from './defer-socket-end.js'

type Timeouts = NonNullable<EditorOptions['timeouts']>
type Tls = NonNullable<EditorOptions['tls']>

export interface ConnectionOptions {
  /**
   * Time limits in milliseconds: `connect` for a connection including TLS, `headers` for the response headers, `idle` for a pause
   * in the body.
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
  return (target, callback) => connect(target, (...[error, socket]) => error ? callback(error, null) : callback(null, deferSocketEnd(socket)))
}
