import type { HttpPurpose } from '../../types/http.js'
import type { Settings } from '../options.js'
import type { Outbound, OutboundRequest } from '../outbound/outbound.js'
import { bytesOf, discard } from '../streams.js'
import { serviceUrl } from './server-urls.js'
import type { TokenSigner } from './token.js'

export interface DocumentServerResponse {
  readonly status: number
  /** Of status 200; `''` for any other. */
  readonly text: string
}

/** The HTTP interface of the document server. Paths are below its URL. Rejects as `Outbound` does. */
export interface DocumentServerClient {
  /**
   * Posts a request as JSON, signed in its body and, unless that is too long, in its header: which is verified depends on its
   * configuration. In a cluster `shardKey` routes it to the server that has the document.
   * Source: docs/document-server-protocol.md#asking-and-being-answered
   */
  post (purpose: HttpPurpose, path: string, request: object, options?: PostOptions): Promise<DocumentServerResponse>
  /** Reads a small resource, unsigned. */
  get (path: string, options?: Pick<PostOptions, 'signal' | 'total'>): Promise<DocumentServerResponse>
}

interface PostOptions extends Pick<OutboundRequest, 'signal' | 'total' | 'limit'> {
  readonly shardKey?: string
}

interface Dependencies {
  readonly outbound: Outbound
  readonly tokens: Pick<TokenSigner, 'sign'>
  readonly settings: Pick<Settings, 'documentServer'>
}

const MAX_RESPONSE_BYTES = 1024 * 1024

/** Web servers limit the headers of a request. A longer token, such as of a watermark with an image, is only in the body, which is enough. */
const MAX_HEADER_TOKEN = 7168

export function createDocumentServerClient ({ outbound, tokens, settings: { documentServer: { publicUrl } } }: Dependencies): DocumentServerClient {
  return {
    async post (purpose, path, request, { shardKey, ...options } = {}) {
      const headerToken = tokens.sign({ payload: request })
      return await send(purpose, urlOf(path, shardKey), {
        ...options,
        method: 'POST',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          ...(headerToken.length < MAX_HEADER_TOKEN && { authorization: `Bearer ${headerToken}` })
        },
        body: JSON.stringify({ ...request, token: tokens.sign(request) })
      })
    },
    get: async (path, options) => await send('command', urlOf(path), options ?? {})
  }

  function urlOf (path: string, shardKey?: string): URL {
    const url = serviceUrl(publicUrl, path)
    if (shardKey !== undefined) url.searchParams.set('shardkey', shardKey)
    return url
  }

  async function send (purpose: HttpPurpose, url: URL, request: OutboundRequest): Promise<DocumentServerResponse> {
    const { status, body } = await outbound(purpose, url, { limit: MAX_RESPONSE_BYTES, ...request })
    if (status === 200) return { status, text: (await bytesOf(body)).toString('utf8') }
    discard(body)
    return { status, text: '' }
  }
}
