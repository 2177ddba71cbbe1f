import type { FastifyInstance } from 'fastify'
import type { DocumentServerMembers, ReceivedRequest, SentRequest } from '../../../types/document-server.js'
import { RemoteError, withTimeout } from './requests.js'

/** Waits for the next callback with this status and key, or any. */
export type NextCallback = (
  status?: number,
  options?: { readonly key?: string | undefined, readonly signal?: AbortSignal }
) => Promise<SentRequest>

export type LogParts = Pick<DocumentServerMembers, 'sentRequests' | 'receivedRequests' | 'forgotten'> & {
  readonly nextCallback: NextCallback
}

/** The logs of requests in both directions, and the forgotten files. */
export function logRoutes (
  scope: FastifyInstance,
  { sentRequests, receivedRequests, forgotten, nextCallback }: LogParts
): void {
  scope.get('/sent-requests', async () => ({ requests: sentRequests.map(sentEntry) }))
  scope.get('/received-requests', async () => ({ requests: receivedRequests.map(receivedEntry) }))

  const properties = { status: { type: 'string', pattern: '^\\d{1,9}$' }, key: { type: 'string' } }
  const querystring = { type: 'object', properties }
  scope.get('/next-callback', { schema: { querystring } }, async (request, reply) => {
    const { status, key } = request.query as { status?: string, key?: string }
    const wanted = status === undefined ? undefined : Number(status)
    return sentEntry(await withTimeout(request, reply, async signal => await nextCallback(wanted, { key, signal })))
  })

  scope.get('/forgotten', async () => ({
    files: [...forgotten].map(([key, { fileType, bytes, storedAt }]) => ({
      key,
      fileType,
      size: bytes.length,
      storedAt
    }))
  }))
  scope.get('/forgotten/:key', async (request, reply) => {
    const { key } = request.params as { key: string }
    const file = forgotten.get(key)
    if (file === undefined) throw new RemoteError(404, 'NOT_FOUND', 'There is no forgotten file with this key')
    return await reply.type('application/octet-stream').header('Content-Disposition', 'attachment').send(
      Buffer.from(file.bytes)
    )
  })
}

/** As JSON; bytes are replaced by their number. */
function sentEntry ({ method, url, headers, body, answer, error }: SentRequest): object {
  return {
    method,
    url,
    headers,
    body,
    answer: answer === null ? null : { status: answer.status, body: withoutBytes(answer.body) },
    ...(error !== undefined && { error: error.message })
  }
}

function receivedEntry ({ method, url, headers, body, status, answer }: ReceivedRequest): object {
  return { method, url, headers, body: withoutBytes(body), status, answer: withoutBytes(answer) }
}

function withoutBytes (value: unknown): unknown {
  return value instanceof Uint8Array ? { bytes: value.byteLength } : value
}
