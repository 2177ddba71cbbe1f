import type { Readable } from 'node:stream'

/** What an outbound request is for. */
export type HttpPurpose = 'callback' | 'command' | 'conversion' | 'proxy'

export interface HttpRequest {
  readonly purpose: HttpPurpose
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /**
   * Whether only addresses of the public Internet may be connected to, by a literal address and by a name: a name that
   * resolves to any other address is refused. The request then rejects with an error whose `code` is
   * `FST_EDITOR_ADDRESS_BLOCKED`, and nothing is sent. Default `false`.
   */
  readonly publicOnly?: boolean
  /** Ends the request, headers and body, when aborted. */
  readonly signal: AbortSignal
}

export interface HttpResponse {
  readonly status: number
  /** The first value of a header, its name in any case; `undefined` when absent. */
  header (name: string): string | undefined
  /**
   * The decoded bytes: a `Content-Encoding` has been undone and `header('content-encoding')` and
   * `header('content-length')` are then `undefined`. Errors when the bytes end before the announced length, or before what was
   * encoded is complete. Destroying it ends the request.
   *
   * It may be read late, and may have failed by then: what it still delivers ends in that failure, never as if it were whole.
   * Whoever made the request listens for its errors from the moment they get it.
   */
  readonly body: Readable
}

/**
 * Makes one request and follows no redirect: redirects, allowed origins, the total deadline and byte limits are
 * applied around it, the same for every client. What a name resolves to only the client sees: `publicOnly` is its to keep.
 * Prove an implementation of your own with `httpClientConformance` of `fastify-onlyoffice/testing`.
 */
export interface HttpClient {
  /** Rejects when there is no response. An error whose `code` ends in `TIMEOUT` or `TIMEDOUT` counts as a timeout. */
  request (request: HttpRequest): Promise<HttpResponse>
  close? (): Promise<void>
}
