import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { Agent, type Dispatcher, request } from 'undici'
import type { HttpClient } from '../../types/http.js'
import type { EditorOptions } from '../../types/options.js'
import { UpstreamError } from '../errors.js'

export interface UndiciClientOptions {
  /** Any undici dispatcher (ProxyAgent, MockAgent, …), left open by `close()`. It then has its own timeouts and TLS rules. */
  readonly dispatcher?: Dispatcher
  /** Milliseconds. Default: connect 10 s, headers 30 s, idle 30 s. */
  readonly timeouts?: Pick<NonNullable<EditorOptions['timeouts']>, 'connect' | 'headers' | 'idle'>
  /** Default: certificates verified, TLS 1.2 or later. */
  readonly tls?: { readonly [Name in keyof NonNullable<EditorOptions['tls']>]: NonNullable<EditorOptions['tls']>[Name] | undefined }
}

const decoders = new Map<string, () => NodeJS.ReadWriteStream & Readable>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress]
])

/** The default HTTP client: undici with its own connections, closed by `close()`. */
export function undiciClient ({ dispatcher, timeouts = {}, tls = {} }: UndiciClientOptions = {}): HttpClient {
  const agent = dispatcher ?? createAgent(timeouts, tls)

  return {
    async request ({ method, url, headers, body, signal }) {
      const response = await request(url, { dispatcher: agent, method, headers: headers ?? {}, body: body ?? null, signal })
      const encoding = first(response.headers['content-encoding'])?.trim().toLowerCase() ?? 'identity'
      const decoded = encoding !== 'identity'
      return {
        status: response.statusCode,
        header (name) {
          const key = name.toLowerCase()
          const hidden = decoded && (key === 'content-encoding' || key === 'content-length')
          return hidden || !Object.hasOwn(response.headers, key) ? undefined : first(response.headers[key])
        },
        body: decoded ? decode(response.body, encoding) : response.body
      }
    },
    ...(dispatcher ? {} : { close: () => agent.destroy() })
  }
}

function createAgent (timeouts: NonNullable<UndiciClientOptions['timeouts']>, tls: NonNullable<UndiciClientOptions['tls']>): Agent {
  const { minVersion = 'TLSv1.2', rejectUnauthorized = true, ca } = tls
  return new Agent({
    headersTimeout: timeouts.headers ?? 30_000,
    bodyTimeout: timeouts.idle ?? 30_000,
    connect: {
      timeout: timeouts.connect ?? 10_000,
      rejectUnauthorized,
      minVersion,
      ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
      // OpenSSL 3 refuses TLS 1.0 and 1.1 at its default security level.
      ...(minVersion === 'TLSv1' || minVersion === 'TLSv1.1' ? { ciphers: 'DEFAULT@SECLEVEL=0' } : {})
    }
  })
}

function decode (body: Readable, encoding: string): Readable {
  const createDecoder = decoders.get(encoding)
  if (!createDecoder) {
    body.on('error', () => {}).destroy()
    throw new UpstreamError('a Content-Encoding that was not asked for and is not supported')
  }
  // The decoder carries the error of either to whoever reads it.
  return pipeline(body, createDecoder(), () => {})
}

function first (value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
