import type { LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import type { EditorOptions } from '../../types/options.js'
import { patient } from './patient.js'

export interface ConnectionOptions {
  /** Milliseconds. Default: connect 10 s, headers 30 s, idle 30 s. */
  readonly timeouts?: Pick<NonNullable<EditorOptions['timeouts']>, 'connect' | 'headers' | 'idle'>
  /** Default: certificates verified, TLS 1.2 or later. */
  readonly tls?: { readonly [Name in keyof NonNullable<EditorOptions['tls']>]: NonNullable<EditorOptions['tls']>[Name] | undefined }
  /** Resolves names, as the `lookup` option of `net.connect`. Default: `dns.lookup`. */
  readonly lookup?: LookupFunction
}

/** Connects to whatever it is asked for. */
export function openDispatcher (options: ConnectionOptions): Agent {
  return dispatcherWith(createConnector(options), options)
}

export function dispatcherWith (connect: buildConnector.connector, { timeouts = {} }: ConnectionOptions): Agent {
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
  return (target, callback) => connect(target, (...[error, socket]) => error ? callback(error, null) : callback(null, patient(socket)))
}
