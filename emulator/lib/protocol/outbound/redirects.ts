import { type Dispatcher, request } from 'undici'
import type { SentRequest } from '../../../types/document-server.js'

interface Outgoing extends Pick<SentRequest, 'method' | 'headers'> {
  readonly body: string | null
}

// Source: docs/document-server-protocol.md#downloading-the-document
const MAX_REDIRECTS = 21

/**
 * Makes a request and follows redirects, even to the same URL. A POST becomes a GET after 301, 302 and 303.
 * `Authorization` is not sent to another host. Rejects after too many redirects.
 */
export async function requestFollowing (
  first: URL,
  outgoing: Outgoing,
  options: { readonly dispatcher: Dispatcher, readonly signal: AbortSignal }
): Promise<Dispatcher.ResponseData> {
  let url = first
  let { method, headers, body } = outgoing
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await request(url, { method, headers, body, ...options })
    const { statusCode, headers: { location } } = answer
    if (statusCode < 300 || statusCode > 399 || typeof location !== 'string') return answer

    await answer.body.dump()
    const next = new URL(location, url)
    if (statusCode === 303 || (method === 'POST' && (statusCode === 301 || statusCode === 302))) {
      method = 'GET'
      body = null
      headers = without(headers, /^content-/i)
    }
    if (next.host !== url.host) headers = without(headers, /^authorization$/i)
    url = next
  }
  throw new Error(`More than ${MAX_REDIRECTS} redirects`)
}

function without (headers: Outgoing['headers'], names: RegExp): Outgoing['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.test(name)))
}
