import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { HttpClient, HttpResponse } from '../../types/http.js'
import { AddressBlockedError, UpstreamError } from '../errors.js'
import { assertOptions, rule, type Rules } from '../rules.js'
import { mayBePublicHost } from '../security/public-ip.js'
import { discard } from '../streams.js'
import { connectionRules } from './connection-rules.js'
import { type ConnectionOptions, createAgent } from './connections.js'
import { exchange, type ExchangeResponse } from './exchange.js'
import { guardedDispatcher } from './guarded-dispatcher.js'

export interface UndiciClientOptions extends ConnectionOptions {
  /**
   * An undici dispatcher for all requests, such as a `ProxyAgent` or `MockAgent`. The client then ignores `timeouts`, `tls` and
   * `lookup`, and does not close the dispatcher.
   *
   * For requests with `publicOnly` the client refuses IP addresses that are not public and `localhost`; the dispatcher has to
   * check the IP addresses that other hosts resolve to, as `guardedDispatcher` does. A dispatcher that sends requests through a
   * proxy leaves that check to the proxy.
   *
   * With a dispatcher of undici 7 other than `guardedDispatcher`, the process may crash when a connection ends while nobody reads
   * the body (nodejs/undici#5360).
   *
   * @default two dispatchers that the client creates, and which `close()` closes
   */
  readonly dispatcher?: Dispatcher
}

const rules: Rules<UndiciClientOptions> = {
  ...connectionRules,
  dispatcher: rule('must be a dispatcher of undici', isDispatcher)
}

const decoders = new Map<string, () => NodeJS.ReadWriteStream & Readable>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress]
])

/**
 * Creates the default HTTP client, which uses undici. Requests with `publicOnly` have connections of their own, made by a
 * `guardedDispatcher`. `close()` ends all requests and connections.
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
  const unrestricted = dispatcher ?? createAgent(connections)
  const guarded = dispatcher ?? guardedDispatcher(connections)

  return {
    async request ({ method, url, headers, body, publicOnly = false, signal }) {
      if (publicOnly && !mayBePublicHost(url.hostname)) throw new AddressBlockedError(`${url.origin} is not allowed`)
      const target = { origin: url.origin, path: url.pathname + url.search, method, headers: headers ?? {}, body: body ?? null }
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

function decoded (response: ExchangeResponse, encoding: string): HttpResponse {
  return {
    status: response.status,
    header: name => /^content-(encoding|length)$/i.test(name) ? undefined : response.header(name),
    body: decodedBody(response.body, encoding)
  }
}

function decodedBody (body: Readable, encoding: string): Readable {
  const createDecoder = decoders.get(encoding)
  if (!createDecoder) {
    discard(body)
    throw new UpstreamError('the response has a Content-Encoding that was not requested and is not supported')
  }
  const decoder = createDecoder()
  // pipeline() stops listening once everything is written, but a truncated body fails later than that. Readers still get the error.
  decoder.on('error', () => {})
  return pipeline(body, decoder, () => {})
}
