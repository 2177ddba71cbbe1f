import type { FastifyInstance } from 'fastify'
import type { DocumentServerMembers, HostRequest } from '../../types/document-server.js'
import { receivedEntry, sentEntry } from './entries.js'
import { RemoteError } from './errors.js'
import { optionalNumber, optionalText } from './fields.js'
import { within } from './waiting.js'

type Parts = Pick<DocumentServerMembers, 'requests' | 'received' | 'forgotten'> & {
  readonly callback: (status: number | undefined, options: { readonly key?: string | undefined, readonly signal: AbortSignal }) => Promise<HostRequest>
}

/** What was asked of the host and of this server, and the files the host did not take. */
export function logRoutes (scope: FastifyInstance, { requests, received, forgotten, callback }: Parts): void {
  scope.get('/requests', async () => ({ requests: requests.map(sentEntry) }))
  scope.get('/received', async () => ({ received: received.map(receivedEntry) }))

  scope.get('/callbacks', async (request, reply) => {
    const status = optionalNumber(request, 'status')
    const key = optionalText(request.query as Record<string, unknown>, 'key')
    return sentEntry(await within(request, reply, async signal => await callback(status, { key, signal })))
  })

  scope.get('/forgotten', async () => ({
    files: [...forgotten].map(([key, { fileType, bytes }]) => ({ key, fileType, size: bytes.length }))
  }))
  scope.get('/forgotten/:key', async (request, reply) => {
    const { key } = request.params as { key: string }
    const file = forgotten.get(key)
    if (file === undefined) throw new RemoteError(404, 'NOT_FOUND', 'There is no forgotten file of this key')
    return await reply.type('application/octet-stream').header('Content-Disposition', 'attachment').send(Buffer.from(file.bytes))
  })
}
