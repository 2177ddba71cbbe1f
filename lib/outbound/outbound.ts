import { finished, Readable } from 'node:stream'
import type { EditorHttpClient, EditorHttpPurpose, EditorHttpResponse } from '../../types/http.js'
import { AddressBlockedError, TooLargeError, UpstreamError, UpstreamTimeoutError } from '../errors.js'
import type { Settings } from '../options.js'
import { mayBePublicHost } from '../security/public-ip.js'
import { unlessAborted } from '../util/limits.js'
import { deferErrors, discard } from '../util/streams.js'
import { parseHttpUrl } from '../util/url.js'
import { documentServerFile, isBelow, isResultPath, notAResult, urlBelow } from './result-urls.js'

export interface OutboundRequest {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal | undefined
  /** Replaces a signal, which costs more: the caller may abort it, and the deadline aborts it. */
  readonly controller?: AbortController
  /** Whether a page has named the URL. Then it and all redirects must be result files of the document server. */
  readonly namedByPage?: boolean
  /** Maximum size of the response body in bytes. Default: `maxFileSize`. */
  readonly limit?: number
  /** Milliseconds until the end of the response body. Default: `timeouts.total`. */
  readonly total?: number | undefined
}

export interface OutboundResponse extends EditorHttpResponse {
  /** Announced size in bytes. */
  readonly length: number | undefined
}

const MAX_REDIRECTS = 5
/** Statuses of redirects. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export type Outbound = ReturnType<typeof createOutbound>

export function createOutbound (client: EditorHttpClient, settings: Settings) {
  const destination = destinationRules(settings)

  /**
   * Makes an outbound request. The URL and every redirect are checked against the rules of the purpose; the whole
   * exchange has one deadline, and the body a size limit. Rejects with `AddressBlockedError`, `UpstreamError`,
   * `UpstreamTimeoutError` or `TooLargeError`, or with the reason of the caller's signal; so does reading the body.
   */
  return async function outbound (
    purpose: EditorHttpPurpose,
    url: URL,
    {
      method = 'GET',
      headers = {},
      body,
      signal,
      controller,
      namedByPage = false,
      limit = settings.maxFileSize,
      total = settings.timeouts.total
    }: OutboundRequest = {}
  ): Promise<OutboundResponse> {
    const deadline = startDeadline(total, signal, controller)
    const isFromPage = purpose === 'proxy' || namedByPage
    try {
      const response = await requestFollowing(url)
      const length = announcedLength(response)
      if (length !== undefined && length > limit) {
        discard(response.body)
        throw new TooLargeError(limit)
      }
      const limited = limitedBody(response.body, { limit, length, signal: deadline.signal })
      limited.once('close', deadline.clear)
      return { status: response.status, header: name => response.header(name), length, body: limited }
    } catch (error) {
      deadline.clear()
      deadline.signal.throwIfAborted()
      // The page asked for a forbidden URL: the other server is not at fault.
      if (isFromPage && error instanceof AddressBlockedError) Object.assign(error, { statusCode: 403 })
      throw asUpstreamError(error)
    }

    async function requestOne (target: URL): Promise<EditorHttpResponse> {
      deadline.signal.throwIfAborted()
      const response = client.request({
        purpose,
        method,
        ...destination(purpose, target, namedByPage),
        headers: { 'accept-encoding': 'identity', ...headers },
        ...(body === undefined ? {} : { body }),
        signal: deadline.signal
      })
      try {
        return await unlessAborted(response, deadline.signal)
      } catch (error) {
        // An HTTP client may ignore the signal.
        if (deadline.signal.aborted) response.then(late => discard(late.body)).catch(() => {})
        throw error
      }
    }

    async function requestFollowing (first: URL): Promise<EditorHttpResponse> {
      let next = first
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const response = redirects === 0 ? await requestOne(next) : await requestOne(next).catch(withoutTarget)
        if (method !== 'GET' || !REDIRECTS.has(response.status)) return checkedStatus(response)
        discard(response.body)
        next = redirectTarget(next, response)
      }
      throw new UpstreamError(`more than ${MAX_REDIRECTS} redirects`, { retryable: false })
    }
  }
}

function startDeadline (
  milliseconds: number, callerSignal: AbortSignal | undefined, controller = new AbortController()
) {
  const timer = setTimeout(
    () => controller.abort(new UpstreamTimeoutError(`not finished within ${milliseconds} ms`)),
    milliseconds
  )
  const onAbort = () => controller.abort(callerSignal?.reason)
  callerSignal?.addEventListener('abort', onAbort)
  if (callerSignal?.aborted) onAbort()
  return {
    signal: controller.signal,
    clear () {
      clearTimeout(timer)
      callerSignal?.removeEventListener('abort', onAbort)
    }
  }
}

function redirectTarget (from: URL, response: EditorHttpResponse): URL {
  try {
    return parseHttpUrl(response.header('location'), from)
  } catch (cause) {
    throw new UpstreamError('a redirect without a usable Location', { cause, retryable: false })
  }
}

/** A user of the proxy must not learn where a redirect leads. */
function withoutTarget (error: unknown): never {
  if (error instanceof AddressBlockedError) {
    throw new AddressBlockedError('a redirect leads to a URL that is not allowed', { cause: error })
  }
  throw error
}

function checkedStatus (response: EditorHttpResponse): EditorHttpResponse {
  if (response.status >= 200 && response.status <= 599) return response
  discard(response.body)
  throw new UpstreamError(`status ${response.status}`)
}

/** The error for a response whose status makes it unusable. */
export function statusError (status: number, message: string): Error {
  return new UpstreamError(message, { retryable: status === 408 || status === 429 || status >= 500 })
}

function announcedLength (response: EditorHttpResponse): number | undefined {
  const value = response.header('content-length')
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined
}

/**
 * Where a request for a purpose goes. Throws `AddressBlockedError`. Origins that an option names may have any IP
 * address, because the operator chose them. Origins that are only allowed by `any` must have a public one.
 */
function destinationRules ({ documentServer, proxy, allowPrivateAddresses }: Settings) {
  /**
   * Returns the URL to request, the given one or its equivalent at the internal origin, and whether connections
   * to IP addresses that are not public must be refused. `namedByPage`: a page may only have result files of the
   * document server fetched.
   */
  return function destination (purpose: EditorHttpPurpose, url: URL, namedByPage: boolean) {
    const { origin, pathname } = url
    const isResultFile = isResultPath(pathname)
    const isResult = isResultFile && documentServer.publicOrigins.has(origin)
    if (namedByPage && !isResult) throw notAResult(url)
    // At the document server the proxy reads result files only, and a request cannot name the internal origin: the
    // document server's web server shows its settings to requests from the same machine.
    const isPathAllowed = purpose !== 'proxy' || isResultFile
    const isNamed = purpose === 'proxy' ? isResult || isProxyTarget(url) : documentServer.origins.has(origin)
    const { anyOrigin } = purpose === 'proxy' ? proxy : documentServer
    const publicOnly = !isNamed && !allowPrivateAddresses
    if (!isNamed && !anyOrigin) {
      throw new AddressBlockedError(purpose === 'proxy' ? proxyDenial(url) : foreignOrigin(url))
    }
    if (publicOnly && !mayBePublicHost(url.hostname)) throw new AddressBlockedError(`${origin} is not allowed`)
    // A page's URLs are public ones, which its browser reaches unchanged.
    const isBrowsers = purpose === 'proxy' && documentServer.internalOrigin === null
    if (publicOnly || !isPathAllowed || isBrowsers) return { url, publicOnly }
    return { url: documentServerFile(documentServer, url) ?? atInternalOrigin(url), publicOnly }
  }

  function isProxyTarget ({ origin, pathname }: URL): boolean {
    return proxy.allowed.some(allowed =>
      allowed.origin === origin && (allowed.path === undefined || isBelow(pathname, allowed.path))
    )
  }

  function proxyDenial ({ origin }: URL): string {
    return documentServer.publicOrigins.has(origin)
      ? `at ${origin} the proxy fetches only result files, and proxy.allow does not name this path`
      : `${origin} is not allowed`
  }

  /**
   * The document server builds its URLs from the headers of the editing browser's connection, as its reverse proxy
   * forwards them.
   */
  function foreignOrigin ({ origin, host }: URL): string {
    const own = [...documentServer.origins]
    const header = own.some(one => new URL(one).host === host) ? 'X-Forwarded-Proto' : 'X-Forwarded-Host'
    return `${origin} is not an origin of the document server (${own.join(', ')}): add it to documentServer.origins, or set ${header} at its proxy`
  }

  /** Only the reverse proxy that serves the public origin has the virtual path. */
  function atInternalOrigin (url: URL): URL {
    const { internalOrigin, publicUrl: { origin, pathname } } = documentServer
    if (internalOrigin === null || url.origin !== origin) return url
    const virtualPath = pathname === '/' ? '' : pathname
    const hasPath = url.pathname.startsWith(`${virtualPath}/`)
    return urlBelow(internalOrigin, hasPath ? url.pathname.slice(virtualPath.length) : url.pathname, url.search)
  }
}

interface BodyRules {
  /** Maximum size in bytes. */
  readonly limit: number
  /** Announced size in bytes. */
  readonly length: number | undefined
  /** Ends the body with its reason. */
  readonly signal: AbortSignal
}

/**
 * The same bytes, with an error if there are more than the limit, if there are not as many as announced, or if the
 * signal is aborted. An error before the body is read is kept for its reader.
 */
export function limitedBody (body: Readable, { limit, length, signal }: BodyRules): Readable {
  let isReading = false
  let size = 0

  const limited = deferErrors(new Readable({
    highWaterMark: 64 * 1024,
    read () {
      if (isReading) body.resume()
      else startReading()
    },
    destroy (error, callback) {
      signal.removeEventListener('abort', onAbort)
      body.off('data', onData)
      discard(body)
      callback(error)
    }
  }))
  deferErrors(body)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  return limited

  function startReading (): void {
    isReading = true
    finished(body, { writable: false }, onEnd)
    body.on('data', onData)
  }

  function onData (chunk: Uint8Array): void {
    size += chunk.length
    if (size > limit) limited.destroy(new TooLargeError(limit))
    else if (length !== undefined && size > length) {
      limited.destroy(new UpstreamError(`too long: received more than the announced ${length} bytes`))
    } else if (!limited.push(chunk)) body.pause()
  }

  function onEnd (error: Error | null | undefined): void {
    signal.removeEventListener('abort', onAbort) // the reader may take its time
    if (error) limited.destroy(asUpstreamError(error))
    else if (length !== undefined && size !== length) {
      limited.destroy(new UpstreamError(`truncated: received ${size} of ${length} bytes`))
    } else limited.push(null)
  }

  function onAbort (): void {
    limited.destroy(signal.reason)
  }
}

/** Wraps the error of an HTTP client, unless it is one of ours. */
function asUpstreamError (error: unknown): Error {
  if (!(error instanceof Error)) return new UpstreamError('unknown', { cause: error })
  const { code: ownCode } = error as { readonly code?: unknown }
  const code = typeof ownCode === 'string' ? ownCode : error.name // a DOMException has a number
  if (code.startsWith('FST_EDITOR_')) return error
  if (/TIMED?_?OUT$/.test(code) || error.name === 'TimeoutError') {
    return new UpstreamTimeoutError(code, { cause: error })
  }
  return new UpstreamError(code, { cause: error })
}
