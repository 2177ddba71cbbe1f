import type { HttpClient, HttpPurpose, HttpResponse } from '../../types/http.js'
import { AddressBlockedError, TooLargeError, UpstreamError, UpstreamTimeoutError } from '../errors.js'
import type { Settings } from '../options.js'
import { discard } from '../readable.js'
import { parseHttpUrl } from '../security/http-url.js'
import { destinationRules } from './destination.js'
import { finalFailure } from './final-failure.js'
import { asUpstreamError, limitedBody } from './limited-body.js'

export interface OutboundRequest {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
  /** Bytes of the body. Default: `maxFileSize`. */
  readonly limit?: number
  /** Milliseconds, body included. Default: `timeouts.total`. */
  readonly total?: number
}

export interface OutboundResponse extends HttpResponse {
  /** Bytes, when the upstream announced them. */
  readonly length: number | undefined
}

/**
 * Makes an outbound request for one purpose. The address rules of that purpose hold for the URL and for every
 * redirect; the whole exchange, body included, has one deadline and the body a byte limit.
 * Rejects, and its body errors, with `AddressBlockedError`, `UpstreamError`, `UpstreamTimeoutError` or `TooLargeError`,
 * or with the reason of the caller's signal.
 */
export type Outbound = (purpose: HttpPurpose, url: URL, request?: OutboundRequest) => Promise<OutboundResponse>

const MAX_REDIRECTS = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export function createOutbound (client: HttpClient, settings: Settings): Outbound {
  const destination = destinationRules(settings)

  return async function outbound (purpose, url, { method = 'GET', headers = {}, body, signal, limit = settings.maxFileSize, total = settings.timeouts.total } = {}) {
    const deadline = startDeadline(total, signal)
    try {
      const response = await requestFollowing(url)
      const length = announcedLength(response)
      if (length !== undefined && length > limit) {
        discard(response.body)
        throw new TooLargeError(limit)
      }
      const limited = limitedBody(response.body, { limit, length, signal: deadline.signal })
      limited.once('close', () => {
        deadline.clear()
        discard(response.body) // a body that nobody began to read would stay open
      })
      return { status: response.status, header: name => response.header(name), length, body: limited }
    } catch (error) {
      deadline.clear()
      deadline.signal.throwIfAborted()
      throw asUpstreamError(error)
    }

    async function requestOne (target: URL): Promise<HttpResponse> {
      deadline.signal.throwIfAborted()
      const response = client.request({
        purpose,
        method,
        ...destination(purpose, target),
        headers: { 'accept-encoding': 'identity', ...headers },
        ...(body === undefined ? {} : { body }),
        signal: deadline.signal
      })
      return await unlessAborted(response, deadline.signal, late => discard(late.body))
    }

    async function requestFollowing (first: URL): Promise<HttpResponse> {
      let next = first
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const response = redirects === 0 ? await requestOne(next) : await requestOne(next).catch(withoutAddress)
        if (method !== 'GET' || !REDIRECTS.has(response.status)) return checkedStatus(response)
        discard(response.body)
        next = redirectTarget(next, response)
      }
      throw finalFailure(new UpstreamError(`more than ${MAX_REDIRECTS} redirects`))
    }
  }
}

function startDeadline (milliseconds: number, callerSignal: AbortSignal | undefined) {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new UpstreamTimeoutError(`no end within ${milliseconds} ms`)), milliseconds)
  const signal = callerSignal ? AbortSignal.any([controller.signal, callerSignal]) : controller.signal
  return { signal, clear: () => clearTimeout(timer) }
}

/** A client that does not heed the signal keeps nobody waiting. */
async function unlessAborted<Result> (promise: Promise<Result>, signal: AbortSignal, giveUp: (late: Result) => void): Promise<Result> {
  let stop = () => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } catch (error) {
    if (signal.aborted) promise.then(giveUp).catch(() => {})
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function redirectTarget (from: URL, response: HttpResponse): URL {
  try {
    return parseHttpUrl(response.header('location'), from)
  } catch (cause) {
    throw finalFailure(new UpstreamError('a redirect without a usable Location', { cause }))
  }
}

/** The proxy's client learns nothing of addresses it did not name. */
function withoutAddress (error: unknown): never {
  if (error instanceof AddressBlockedError) throw new AddressBlockedError('of a redirect is not allowed', { cause: error })
  throw error
}

function checkedStatus (response: HttpResponse): HttpResponse {
  if (response.status >= 200 && response.status <= 599) return response
  discard(response.body)
  throw new UpstreamError(`status ${response.status}`)
}

function announcedLength (response: HttpResponse): number | undefined {
  const value = response.header('content-length')
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined
}
