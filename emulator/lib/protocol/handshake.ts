import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isDocumentServerError } from '../errors.js'
import { verified } from './tokens/config-token.js'
import type { Tokens } from './tokens/tokens.js'

/** Connections that have not been told yet whether they are let in. */
const MAX_WAITING = 1000
const NOTHING_NEW = '6'

/**
 * How the real editor connects, by polling, as far as its token is verified: whoever is let in can do nothing here.
 * Source: docs/document-server-protocol.md#the-configuration-and-its-token
 */
export function handshakeRoute (app: FastifyInstance, tokens: Tokens): void {
  const waiting = new Map<string, string>()

  async function serve (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { sid } = request.query as { sid?: string }
    const text = (body: string) => reply.type('text/plain; charset=UTF-8').send(Buffer.from(body))
    if (sid === undefined) {
      const id = randomBytes(15).toString('base64url')
      if (waiting.size >= MAX_WAITING) waiting.delete(waiting.keys().next().value!)
      waiting.set(id, NOTHING_NEW)
      return text(`0${JSON.stringify({ sid: id, upgrades: ['websocket'], pingInterval: 25_000, pingTimeout: 20_000, maxPayload: 1e8 })}`)
    }
    const packet = waiting.get(sid)
    if (packet === undefined) return reply.code(400).send({ code: 1, message: 'Session ID unknown' })
    if (request.method === 'GET') {
      if (packet !== NOTHING_NEW) waiting.delete(sid)
      return text(packet)
    }
    if (String(request.body).startsWith('40')) waiting.set(sid, answerTo(String(request.body).slice(2)))
    return text('ok')
  }

  function answerTo (auth: string): string {
    try {
      if (tokens.areRequiredOfEditors) verified(tokenIn(auth), tokens)
      return `40${JSON.stringify({ sid: randomBytes(15).toString('base64url') })}`
    } catch (error) {
      const { code, message } = isDocumentServerError(error) ? error : { code: null, message: '' }
      return `44${JSON.stringify({ message: 'not authorized', data: { code, description: message } })}`
    }
  }

  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string' }, async (_request: FastifyRequest, body: string) => body)
    scope.route({ method: ['GET', 'POST'], url: '/doc/:key/c', handler: serve })
  })
}

function tokenIn (auth: string): unknown {
  try {
    return (Object(JSON.parse(auth)) as { token?: unknown }).token
  } catch {
    return undefined
  }
}
