import type { FastifyInstance, FastifyRequest } from 'fastify'
import { jsonOrText } from '../json.js'
import { isEditorAsset, isOwnPath } from '../own-paths.js'
import type { RequestLog } from './limits.js'
import type { ReceivedRequest } from '../../types/document-server.js'

interface Entry extends ReceivedRequest {
  body: unknown
}

/**
 * Keeps what is asked of the document server and what it answers. Left out are the editor page's own requests and those that
 * ask after the emulator itself.
 */
export function receivedRequests (app: FastifyInstance, log: RequestLog, answered: (request: ReceivedRequest) => void): readonly ReceivedRequest[] {
  const received: Entry[] = []
  const entries = new WeakMap<FastifyRequest, Entry>()

  app.addHook('onRequest', async request => {
    if (isEditorAsset(request.url) || isOwnPath(request.url) || request.ws) return
    const entry: Entry = { method: request.method, url: request.url, headers: request.headers, body: null, status: null, answer: null }
    received.push(entry)
    log.trim(received)
    entries.set(request, entry)
  })
  app.addHook('preHandler', async request => {
    const entry = entries.get(request)
    if (entry !== undefined) entry.body = log.small(request.body ?? null)
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const entry = entries.get(request)
    if (entry === undefined) return payload
    entry.status = reply.statusCode
    const isText = /json|text|xml/.test(String(reply.getHeader('content-type')))
    if (typeof payload === 'string' || payload instanceof Uint8Array) {
      const bytes = Buffer.from(payload as Uint8Array)
      const kept = log.small(bytes)
      entry.answer = isText && kept !== null ? jsonOrText(kept) : kept
    }
    answered(entry)
    return payload
  })
  return received
}
