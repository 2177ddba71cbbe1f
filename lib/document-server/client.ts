import type { HttpPurpose } from '../../types/http.js'
import type { Outbound } from '../outbound/outbound.js'
import { bytesOf, discard } from '../streams.js'
import type { TokenSigner } from './token.js'

export interface DocumentServerResponse {
  readonly status: number
  /** Of status 200; `''` for any other. */
  readonly text: string
}

/** The HTTP interface of the document server. */
export interface DocumentServerClient {
  /**
   * Posts a request as JSON, signed in its body and in its header: which of the two is verified depends on the document server's
   * configuration. `path` is absolute, with a query where one is needed. Rejects as `Outbound` does.
   * Source: docs/document-server-protocol.md#asking-and-being-answered
   */
  post (purpose: HttpPurpose, path: string, request: object, signal?: AbortSignal): Promise<DocumentServerResponse>
}

interface Dependencies {
  readonly outbound: Outbound
  readonly tokens: Pick<TokenSigner, 'sign'>
  readonly editorApiUrl: URL
}

const MAX_RESPONSE_BYTES = 1024 * 1024

export function createDocumentServerClient ({ outbound, tokens, editorApiUrl }: Dependencies): DocumentServerClient {
  return {
    async post (purpose, path, request, signal) {
      const { status, body } = await outbound(purpose, new URL(path, editorApiUrl.origin), {
        method: 'POST',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          authorization: `Bearer ${tokens.sign({ payload: request })}`
        },
        body: JSON.stringify({ ...request, token: tokens.sign(request) }),
        limit: MAX_RESPONSE_BYTES,
        ...(signal && { signal })
      })
      if (status === 200) return { status, text: (await bytesOf(body)).toString('utf8') }
      discard(body)
      return { status, text: '' }
    }
  }
}
