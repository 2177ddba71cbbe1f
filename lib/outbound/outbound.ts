import type { HttpClient, HttpPurpose, HttpResponse } from '../../types/http.js'
import { AddressBlockedError, TooLargeError, UpstreamError, UpstreamTimeoutError } from '../errors.js'
import type { Settings } from '../options.js'
import { discard, hasArrived } from '../streams.js'
import { parseHttpUrl } from '../url.js'
import { unlessAborted } from '../with-timeout.js'
import { destinationRules, type DestinationSettings } from './destination.js'
import { asUpstreamError, limitedBody } from './limited-body.js'

export interface OutboundRequest {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal | undefined
  /** Instead of a signal, which costs more: the caller may abort it, and the deadline aborts it. */
  readonly controller?: AbortController
  /** A page has named the URL: it and all redirects must be result files of the document server. */
  readonly namedByPage?: boolean
  /** Maximum size of the response body in bytes. Default: `maxFileSize`. */
  readonly limit?: number
  /** Milliseconds until the end of the response body. Default: `timeouts.total`. */
  readonly total?: number | undefined
}

export interface OutboundResponse extends HttpResponse {
  /** Announced size in bytes. */
  readonly length: number | undefined
}

/**
 * Makes an outbound request. What its purpose allows is checked for the URL and for every redirect; the whole exchange has one
 * deadline, and the body a size limit. Rejects with `AddressBlockedError`, `UpstreamError`, `UpstreamTimeoutError` or
 * `TooLargeError`, or with the reason of the caller's signal; so does reading the body.
 */
export type Outbound = (purpose: HttpPurpose, url: URL, request?: OutboundRequest) => Promise<OutboundResponse>

type OutboundSettings = DestinationSettings & Pick<Settings, 'maxFileSize' | 'timeouts'>

const MAX_REDIRECTS = 5
/** Statuses that lead elsewhere. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export function createOutbound (client: HttpClient, settings: OutboundSettings): Outbound {
  const destination = destinationRules(settings)

  return async function outbound (purpose, url, { method = 'GET', headers = {}, body, signal, controller, namedByPage = false, limit = settings.maxFileSize, total = settings.timeouts.total } = {}) {
    const deadline = startDeadline(total, signal, controller)
    try {
      const response = await requestFollowing(url)
      const length = announcedLength(response)
      if (length !== undefined && length > limit) {
        discard(response.body)
        throw new TooLargeError(limit)
      }
      const limited = limitedBody(response.body, { limit, length, signal: deadline.signal })
      if (hasArrived(limited)) deadline.clear()
      else limited.once('close', deadline.clear)
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

    async function requestFollowing (first: URL): Promise<HttpResponse> {
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

function startDeadline (milliseconds: number, callerSignal: AbortSignal | undefined, controller = new AbortController()) {
  const timer = setTimeout(() => controller.abort(new UpstreamTimeoutError(`not finished within ${milliseconds} ms`)), milliseconds)
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

function redirectTarget (from: URL, response: HttpResponse): URL {
  try {
    return parseHttpUrl(response.header('location'), from)
  } catch (cause) {
    throw new UpstreamError('a redirect without a usable Location', { cause, retryable: false })
  }
}

/** A user of the proxy must not learn where a redirect leads. */
function withoutTarget (error: unknown): never {
  if (error instanceof AddressBlockedError) throw new AddressBlockedError('a redirect leads to a URL that is not allowed', { cause: error })
  throw error
}

function checkedStatus (response: HttpResponse): HttpResponse {
  if (response.status >= 200 && response.status <= 599) return response
  discard(response.body)
  throw new UpstreamError(`status ${response.status}`)
}

/** The error for a response that cannot be used because of its status. */
export function statusError (status: number, message: string): Error {
  return new UpstreamError(message, { retryable: status === 408 || status === 429 || status >= 500 })
}

function announcedLength (response: HttpResponse): number | undefined {
  const value = response.header('content-length')
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined
}
