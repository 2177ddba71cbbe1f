import type { FastifyInstance, FastifyRequest } from 'fastify'
import { jsonOrText } from '../../json.js'
import type { RequestLimits } from './limits.js'
import type { ReceivedRequest } from '../../../types/document-server.js'

interface Entry extends ReceivedRequest {
  body: unknown
}

/**
 * Logs the requests to the document server and its answers, except those of the editor page, the status page and the
 * remote control.
 */
export function receivedRequests (app: FastifyInstance, log: RequestLimits): readonly ReceivedRequest[] {
  const received: Entry[] = []
  const entries = new WeakMap<FastifyRequest, Entry>()

  app.addHook('onRequest', async request => {
    if (isEditorAsset(request.url) || isEmulatorsOwn(request.url) || request.ws) return
    const entry: Entry = {
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: null,
      status: null,
      answer: null
    }
    received.push(entry)
    log.trim(received)
    entries.set(request, entry)
  })
  app.addHook('preHandler', async request => {
    const entry = entries.get(request)
    if (entry !== undefined) entry.body = log.withinLimit(request.body ?? null)
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const entry = entries.get(request)
    if (entry === undefined) return payload
    entry.status = reply.statusCode
    const isText = /json|text|xml/.test(String(reply.getHeader('content-type')))
    if (typeof payload === 'string' || payload instanceof Uint8Array) {
      const bytes = Buffer.from(payload as Uint8Array)
      const kept = log.withinLimit(bytes)
      entry.answer = isText && kept !== null ? jsonOrText(kept) : kept
    }
    return payload
  })
  return received
}

/** Paths that a real document server does not have: the status page and the remote control. */
function isEmulatorsOwn (url: string): boolean {
  return /^\/(emulator\/.*|emulator)?(\?|$)/i.test(url)
}

function isEditorAsset (url: string): boolean {
  return url.startsWith('/web-apps/apps/documenteditor/')
}
