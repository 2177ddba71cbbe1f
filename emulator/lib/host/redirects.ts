import { type Dispatcher, request } from 'undici'

export interface Outgoing {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

interface Options {
  readonly dispatcher: Dispatcher
  readonly signal: AbortSignal
}

// Source: docs/document-server-protocol.md#downloading-the-document
const MAX_REDIRECTIONS = 21

/**
 * Requests an address and follows where it is sent, also back to the same one: a POST becomes a GET after 301, 302 and 303,
 * `Authorization` stays with its host. Rejects when it is sent on too often.
 */
export async function requestFollowing (first: URL, outgoing: Outgoing, { dispatcher, signal }: Options): Promise<Dispatcher.ResponseData> {
  let url = first
  let { method, headers, body } = outgoing
  for (let redirections = 0; redirections <= MAX_REDIRECTIONS; redirections++) {
    const answer = await request(url, { method, headers, body, dispatcher, signal })
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
  throw new Error(`More than ${MAX_REDIRECTIONS} redirects`)
}

function without (headers: Outgoing['headers'], names: RegExp): Outgoing['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.test(name)))
}
