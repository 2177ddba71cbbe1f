import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { type Dispatcher, request } from 'undici'
import type { HttpClient } from '../../types/http.js'
import { AddressBlockedError, UpstreamError } from '../errors.js'
import { mayBePublic } from '../security/address-policy.js'
import { type ConnectionOptions, openDispatcher } from './connections.js'
import { guardedDispatcher } from './guarded-dispatcher.js'

export interface UndiciClientOptions extends ConnectionOptions {
  /**
   * Any undici dispatcher (ProxyAgent, MockAgent, …), left open by `close()`. It then has its own look-ups, timeouts and TLS
   * rules. Of a `publicOnly` request only a literal address and `localhost` are refused here: the names are the dispatcher's
   * to check, as `guardedDispatcher` does. A dispatcher that goes through a proxy leaves it to the proxy. One of undici 7 that
   * makes its connections itself may end the process when one ends while nobody reads its body (nodejs/undici#5360).
   */
  readonly dispatcher?: Dispatcher
}

const decoders = new Map<string, () => NodeJS.ReadWriteStream & Readable>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress]
])

/**
 * The default HTTP client: undici with its own connections, closed by `close()`. What may only go to public addresses has
 * connections of its own, through a `guardedDispatcher`.
 */
export function undiciClient ({ dispatcher, ...connections }: UndiciClientOptions = {}): HttpClient {
  const open = dispatcher ?? openDispatcher(connections)
  const guarded = dispatcher ?? guardedDispatcher(connections)

  return {
    async request ({ method, url, headers, body, publicOnly = false, signal }) {
      if (publicOnly && !mayBePublic(url.hostname)) throw new AddressBlockedError(`${url.origin} is not allowed`)
      const response = await request(url, { dispatcher: publicOnly ? guarded : open, method, headers: headers ?? {}, body: body ?? null, signal })
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
    ...(dispatcher ? {} : { close: async () => { await Promise.all([open.destroy(), guarded.destroy()]) } })
  }
}

function decode (body: Readable, encoding: string): Readable {
  const createDecoder = decoders.get(encoding)
  if (!createDecoder) {
    body.on('error', () => {}).destroy()
    throw new UpstreamError('a Content-Encoding that was not asked for and is not supported')
  }
  const decoder = createDecoder()
  // pipeline() listens until all is written, and that something is missing shows only then. Whoever reads is told, now or later.
  decoder.on('error', () => {})
  return pipeline(body, decoder, () => {})
}

function first (value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
