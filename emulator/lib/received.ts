import type { FastifyInstance, FastifyRequest } from 'fastify'
import { jsonOrText } from './host/answer.js'
import type { ReceivedRequest } from '../types/document-server.js'

interface Entry extends ReceivedRequest {
  body: unknown
}

/** Keeps what is asked of the document server and what it answers. The editor page's own requests are left out. */
export function receivedRequests (app: FastifyInstance): readonly ReceivedRequest[] {
  const received: Entry[] = []
  const entries = new WeakMap<FastifyRequest, Entry>()

  app.addHook('onRequest', async request => {
    if (request.url.startsWith('/web-apps/apps/documenteditor/') || request.ws) return
    const entry: Entry = { method: request.method, url: request.url, headers: request.headers, body: null, status: null, answer: null }
    received.push(entry)
    entries.set(request, entry)
  })
  app.addHook('preHandler', async request => {
    const entry = entries.get(request)
    if (entry !== undefined) entry.body = request.body ?? null
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const entry = entries.get(request)
    if (entry === undefined) return payload
    entry.status = reply.statusCode
    const isText = /json|text|xml/.test(String(reply.getHeader('content-type')))
    if (typeof payload === 'string' || payload instanceof Uint8Array) {
      const bytes = Buffer.from(payload as Uint8Array)
      entry.answer = isText ? jsonOrText(bytes) : bytes
    }
    return payload
  })
  return received
}
