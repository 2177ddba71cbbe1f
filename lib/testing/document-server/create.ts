import { createHash, randomBytes } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { createClock } from './clock.js'
import { commandRoutes } from './command-routes.js'
import { conversionRoutes } from './conversion-routes.js'
import { conversions } from './conversion.js'
import { documents } from './documents.js'
import { hostClient } from './host.js'
import { API_PATH, pageRoutes } from './page-routes.js'
import { converter } from './pdf/convert.js'
import { libreOffice } from './pdf/libre-office.js'
import { resultFiles } from './result-files.js'
import { resultRoutes } from './result-routes.js'
import { openScripted } from './scripted.js'
import { type SessionParts, sessions } from './sessions.js'
import { socketRoute } from './socket.js'
import { createTokens } from './tokens.js'
import type { DocumentServer, DocumentServerMembers, DocumentServerOptions } from './types.js'

/**
 * Starts an emulated document server for tests and development: it opens, edits, saves and converts documents
 * as ONLYOFFICE Docs does. Listens when resolved. Close it with `close()`, which saves and leaves all sessions.
 */
export async function createDocumentServer (options: DocumentServerOptions): Promise<DocumentServer> {
  const { jwtSecret, logger = false, port = 0, host: hostname = '127.0.0.1', publicUrl } = options
  const secrets = typeof jwtSecret === 'string' ? [jwtSecret] : jwtSecret
  const app: FastifyInstance = Fastify({
    logger,
    bodyLimit: 16 * 1024 * 1024,
    forceCloseConnections: true,
    // Sessions are saved while closing, and the host must still be able to fetch what was saved.
    return503OnClosing: false
  })
  let url = ''
  const clock = createClock(options.now)
  const tokens = createTokens(secrets, clock)
  const host = hostClient(tokens)
  const files = resultFiles(randomBytes(32).toString('base64'), clock)
  const convert = converter(await libreOffice(options.libreOffice))
  const parts: SessionParts = { host, files, clock, documents: documents(), forgotten: new Map(), log: app.log }
  const editing = sessions(parts)
  const common = { sessions: editing, files, tokens, convert, url: () => url }

  app.addHook('preClose', async () => await leaveAll(parts, editing))
  app.addHook('onClose', async () => await host.close())
  recordedHeaders(app)
  app.get('/healthcheck', async (request, reply) => await reply.type('text/plain; charset=utf-8').send('true'))
  resultRoutes(app, files)
  conversionRoutes(app, { ...common, conversions: conversions({ host, clock, files, convert, log: app.log }) })
  commandRoutes(app, { ...common, parts })
  await pageRoutes(app)
  await socketRoute(app, common)

  url = (publicUrl ?? await app.listen({ port, host: hostname })).replace(/\/+$/, '')
  if (publicUrl !== undefined) await app.listen({ port, host: hostname })
  const members: DocumentServerMembers = {
    url,
    editorApiUrl: `${url}${API_PATH}`,
    requests: host.requests,
    forgotten: parts.forgotten,
    open: async config => await openScripted(editing, tokens, url, config)
  }
  return Object.assign(app, members)
}

async function leaveAll ({ documents, log }: SessionParts, editing: ReturnType<typeof sessions>): Promise<void> {
  const leaving = [...documents.all()].flatMap(document => [...document.participants.values()].map(async participant => {
    await editing.leave(document, participant)
  }))
  for (const outcome of await Promise.allSettled(leaving)) {
    if (outcome.status === 'rejected') log.error({ err: outcome.reason }, 'a document could not be saved while closing')
  }
}

/** Headers that stand on every recorded answer. */
function recordedHeaders (app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    reply.header('Vary', 'Origin').header('Access-Control-Allow-Credentials', 'true')
    if (!reply.hasHeader('etag') && (typeof payload === 'string' || Buffer.isBuffer(payload))) {
      const digest = createHash('sha1').update(payload).digest('base64').slice(0, 27)
      reply.header('ETag', `W/"${Buffer.byteLength(payload).toString(16)}-${digest}"`)
    }
    return payload
  })
}
