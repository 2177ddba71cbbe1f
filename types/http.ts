import type { Readable } from 'node:stream'

/**
 * The purpose of an outbound request: fetching a saved file (`callback`), sending a command, converting, the proxy
 * action, or a check by `app.editorDoctor()` (`probe`), which also requests `api.js` and this application at
 * `publicBaseUrl`.
 */
export type EditorHttpPurpose = 'callback' | 'command' | 'conversion' | 'proxy' | 'probe'

/** One outbound request. */
export interface EditorHttpRequest {
  readonly purpose: EditorHttpPurpose
  readonly method: 'GET' | 'POST'
  /** An http or https URL, without credentials or fragment. */
  readonly url: URL
  /** Request headers, with lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
  /** Bytes, or text that is sent as UTF-8. */
  readonly body?: string | Uint8Array
  /**
   * Whether to connect only to public IP addresses, both for URLs with an IP address and for host names. If any IP
   * address of the host is not public, the request must reject with an error whose `code` is
   * `FST_EDITOR_ADDRESS_BLOCKED`, and send nothing.
   *
   * @default false
   */
  readonly publicOnly?: boolean
  /** Ends the request when aborted, also while the body is being received. */
  readonly signal: AbortSignal
}

/** The response to one outbound request. */
export interface EditorHttpResponse {
  /** HTTP status; a redirect is a response like any other. */
  readonly status: number
  /** The first value of a header; `undefined` if there is none. The name may be in upper or lower case. */
  header (name: string): string | undefined
  /**
   * The decoded bytes. If the response has a `Content-Encoding`, the client decodes it and hides `content-encoding` and
   * `content-length` from `header()`. If the response is truncated (it ends before the announced length, or before the
   * end of the encoded data), the stream fails. Destroying the stream ends the request.
   *
   * The plugin may start to read late. If the stream has failed by then, reading must fail, too: a truncated response
   * must never look complete. The plugin listens for errors as soon as it has the response.
   */
  readonly body: Readable
}

/**
 * Makes outbound requests. A client makes exactly one request per call and does not follow redirects. With every
 * client, the plugin itself follows redirects and enforces the allowed origins, `timeouts.total` and byte limits. Only
 * `publicOnly` is left to the client, because only the client sees which IP address a host resolves to.
 *
 * `httpClientConformance` of `fastify-onlyoffice/conformance` tests an implementation.
 *
 * @example
 * ```js
 * // Adds a header to all requests.
 * const client = undiciClient()
 * const httpClient = {
 *   request: request => client.request({ ...request, headers: { ...request.headers, 'x-tenant': 'acme' } }),
 *   close: () => client.close()
 * }
 * ```
 */
export interface EditorHttpClient {
  /**
   * Resolves when the response headers have arrived, whatever the status.
   *
   * @throws an error if there is no response. An error becomes an `UpstreamTimeoutError` if its `code` ends in
   * `TIMEOUT` or `TIMEDOUT` or its name is `TimeoutError`; an error with a `code` of this library stays as it is; any
   * other becomes an `UpstreamError`.
   */
  request (request: EditorHttpRequest): Promise<EditorHttpResponse>
  /** Closes all connections. The plugin calls it for its default client only. */
  close? (): Promise<void>
}
