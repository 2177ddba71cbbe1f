import type { Readable } from 'node:stream'

/**
 * What an outbound request is for: fetching a saved file, sending a command, converting, the proxy action, or an
 * examination by `app.editorDoctor()`, which also requests `api.js` and this application at `publicBaseUrl`.
 */
export type EditorHttpPurpose = 'callback' | 'command' | 'conversion' | 'proxy' | 'probe'

/** One outbound request. */
export interface EditorHttpRequest {
  /** What the request is for. */
  readonly purpose: EditorHttpPurpose
  readonly method: 'GET' | 'POST'
  /** An http or https URL without credentials and fragment. */
  readonly url: URL
  /** Request headers, with lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
  /** Bytes, or text that is sent as UTF-8. */
  readonly body?: string | Uint8Array
  /**
   * Whether to connect to public IP addresses only, whether the URL names an IP address or a host that resolves to one.
   * If any IP address of the host is not public, the request rejects with an error whose `code` is
   * `FST_EDITOR_ADDRESS_BLOCKED`, and nothing is sent.
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
   * `content-length` from `header()`. The stream fails if the response is truncated: before the announced length, or
   * before the end of the encoded data. Destroying it ends the request.
   *
   * The stream may be read late. If it has failed by then, reading it fails, too: it never looks complete. The caller
   * listens for its errors as soon as it has the response.
   */
  readonly body: Readable
}

/**
 * Makes outbound requests. A client makes one request and does not follow redirects: the plugin itself follows
 * redirects and enforces the allowed origins, `timeouts.total` and byte limits, with every client. Only the client sees
 * which IP address a host resolves to, so it must enforce `publicOnly`.
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
   * @throws an error when there is no response. One whose `code` ends in `TIMEOUT` or `TIMEDOUT`, or whose name is
   * `TimeoutError`, becomes an `UpstreamTimeoutError`, one with a `code` of this library stays as it is, any other
   * becomes an `UpstreamError`.
   */
  request (request: EditorHttpRequest): Promise<EditorHttpResponse>
  /** Closes all connections. The plugin calls it for its default client only. */
  close? (): Promise<void>
}
