import type { HttpClient, HttpPurpose } from '../../types/http.js'
import { AddressBlockedError, TooLargeError, UpstreamTimeoutError } from '../errors.js'
import type { Settings } from '../options.js'
import { limitedBody } from '../outbound/limited-body.js'
import { bytesOf, discard } from '../streams.js'
import { withTimeout } from '../with-timeout.js'
import { type ConnectionFault, connectionFault } from './connection-fault.js'

export interface DirectRequest {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

export interface DirectResponse {
  readonly status: number
  header (name: string): string | undefined
  readonly text: string
}

/** A response of any status, or why there is none. */
export type DirectOutcome = { readonly response: DirectResponse } | { readonly failure: ConnectionFault }

/**
 * Makes one request and follows no redirects, so that the doctor sees them: to the document server or to this application, at the
 * origins that options name. Never rejects, except with the reason of the signal.
 */
export type DirectRequester = (purpose: HttpPurpose, url: URL, request: DirectRequest) => Promise<DirectOutcome>

interface Dependencies {
  readonly httpClient: HttpClient
  readonly settings: Pick<Settings, 'documentServer' | 'publicBaseUrl'>
}

const TIMEOUT_MS = 10_000
/** The largest api.js has a few hundred kilobytes. */
const MAX_BYTES = 2 * 1024 ** 2

export function createDirectRequester ({ httpClient, settings: { documentServer, publicBaseUrl } }: Dependencies): DirectRequester {
  const allowed = new Set([...documentServer.origins, new URL(publicBaseUrl).origin])

  return async function request (purpose, url, { method = 'GET', headers = {}, body, signal }) {
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(new UpstreamTimeoutError(`not finished within ${TIMEOUT_MS} ms`)), TIMEOUT_MS)
    const both = AbortSignal.any([signal, deadline.signal])
    try {
      if (!allowed.has(url.origin)) throw new AddressBlockedError(`${url.origin} is not allowed`)
      return { response: await withTimeout(async () => await send(both), { milliseconds: TIMEOUT_MS, timeoutError: ms => new UpstreamTimeoutError(`not finished within ${ms} ms`), signal: both }) }
    } catch (error) {
      signal.throwIfAborted()
      return { failure: connectionFault(error) }
    } finally {
      clearTimeout(timer)
    }

    async function send (signal: AbortSignal): Promise<DirectResponse> {
      const response = await httpClient.request({ purpose, method, url: withoutCredentials(url), headers: { 'accept-encoding': 'identity', ...basicCredentials(url), ...headers }, ...(body === undefined ? {} : { body }), signal })
      try {
        const text = (await bytesOf(limitedBody(response.body, { limit: MAX_BYTES, length: undefined, signal }))).toString('utf8')
        return { status: response.status, header: name => response.header(name), text }
      } catch (error) {
        if (!(error instanceof TooLargeError)) throw error
        return { status: response.status, header: name => response.header(name), text: '' }
      } finally {
        discard(response.body)
      }
    }
  }
}

/** As the document server sends those of a URL. Source: docs/document-server-protocol.md#tokens-the-document-server-sends */
function basicCredentials ({ username, password }: URL): Record<string, string> {
  return username === '' && password === '' ? {} : { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

function withoutCredentials (url: URL): URL {
  const copy = new URL(url)
  copy.username = copy.password = copy.hash = ''
  return copy
}
