import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { HttpClient, HttpResponse } from '../../types/http.js'
import { AddressBlockedError, UpstreamError } from '../errors.js'
import { mayBePublicHost } from '../security/public-ip.js'
import { discard, endArrived } from '../util/streams.js'
import { assertOptions, rule, type Rules } from '../util/validate.js'
import { type ConnectionOptions, connectionRules, createAgent } from './connections.js'
import { guardedDispatcher } from './guarded-dispatcher.js'

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

const decoders = new Map<string, () => NodeJS.ReadWriteStream & Readable>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress]
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
  const unrestricted = dispatcher ?? createAgent(connections)
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
  // pipeline() stops listening once everything is written, but a truncated body fails later than that. Readers still
  // get the error.
  decoder.on('error', () => {})
  return pipeline(body, decoder, () => {})
}

/** As much as is kept for a reader that does not read. */
const HIGH_WATER_MARK = 64 * 1024

interface ExchangeResponse {
  readonly status: number
  /** The first value of a header. */
  header (name: string): string | undefined
  readonly body: Readable
}

/**
 * Sends one request and resolves when the response headers have arrived. Aborting the signal or destroying the body
 * ends the request. An error that occurs while nobody listens is kept for the reader of the body.
 *
 * The handler has the callbacks that undici's own `request` uses: every dispatcher up to undici 7 knows them.
 */
function exchange (
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal
): Promise<ExchangeResponse> {
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
