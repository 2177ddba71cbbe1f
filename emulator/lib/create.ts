import { createHash, randomBytes } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { createTime, systemClock } from './clock.js'
import { commandRoutes } from './commands/routes.js'
import { conversions } from './conversions/conversions.js'
import { converter } from './conversions/pdf/convert.js'
import { libreOffice } from './conversions/pdf/libre-office.js'
import { conversionRoutes } from './conversions/routes.js'
import { answerFaults } from './faults/answers.js'
import { faultRegistry } from './faults/registry.js'
import { hostClient } from './host/client.js'
import { leaveAll, lifecycle } from './lifecycle.js'
import { answerToOwnNames } from './own-names.js'
import { API_PATH, pageRoutes } from './page/routes.js'
import { socketRoute } from './page/socket.js'
import { receivedRequests } from './received.js'
import { resultFiles } from './results/files.js'
import { resultRoutes } from './results/routes.js'
import { sentCallbacks } from './sent-callbacks.js'
import { documents } from './sessions/documents.js'
import type { SessionParts } from './sessions/parts.js'
import { openScripted } from './sessions/scripted.js'
import { sessions } from './sessions/sessions.js'
import { createTokens } from './tokens/tokens.js'
import type { DocumentServer, DocumentServerMembers, DocumentServerOptions } from '../types/document-server.js'

/**
 * Starts an emulated document server for tests and development: it opens, edits, saves and converts documents
 * as ONLYOFFICE Docs does. Listens when resolved. Close it with `close()`, which saves and leaves all sessions.
 */
export async function createDocumentServer (options: DocumentServerOptions): Promise<DocumentServer> {
  const { jwtSecret, logger = false, clock = systemClock, port = 0, host: hostname = '127.0.0.1', publicUrl } = options
  const app: FastifyInstance = Fastify({
    logger,
    bodyLimit: 16 * 1024 * 1024,
    forceCloseConnections: true,
    // Source: recorded: `Keep-Alive: timeout=5`.
    keepAliveTimeout: 5000,
    // Sessions are saved while closing, and the host must still be able to fetch what was saved.
    return503OnClosing: false
  })
  answerToOwnNames(app, options)
  let url = ''
  const ending = new AbortController()
  const time = createTime(clock)
  const tokens = createTokens(jwtSecret, time)
  const callbacks = sentCallbacks()
  const tokenHeader = { name: options.authorizationHeader ?? 'Authorization', prefix: options.authorizationPrefix ?? 'Bearer ' }
  const host = hostClient({ tokens, time, tokenHeader, settled: callbacks.add })
  const files = resultFiles(randomBytes(32).toString('base64'), time)
  const faults = faultRegistry()
  const convert = converter(await libreOffice(options.libreOffice))
  const log = app.log
  const closing = ending.signal
  const parts: SessionParts = { host, files, time, faults, documents: documents(), forgotten: new Map(), held: new Map(), log, closing }
  const editing = sessions(parts)
  const { crash, restart } = lifecycle(app, parts, editing)
  const common = { sessions: editing, files, faults, tokens, convert, url: () => url }

  app.addHook('preClose', async () => {
    ending.abort()
    await leaveAll(parts, editing)
  })
  app.addHook('onClose', async () => await host.close())
  recordedHeaders(app)
  answerFaults(app, { faults, time, closing })
  const received = receivedRequests(app) // after the faults: it keeps what is really answered
  app.get('/healthcheck', async (request, reply) => await reply.type('text/plain; charset=utf-8').send('true'))
  resultRoutes(app, files)
  conversionRoutes(app, { ...common, conversions: conversions({ host, time, files, faults, convert, closing, log }) })
  commandRoutes(app, { ...common, parts })
  await pageRoutes(app)
  await socketRoute(app, common)

  url = (publicUrl ?? await app.listen({ port, host: hostname })).replace(/\/+$/, '')
  if (publicUrl !== undefined) await app.listen({ port, host: hostname })
  const members: DocumentServerMembers = {
    url,
    editorApiUrl: `${url}${API_PATH}`,
    requests: host.requests,
    received,
    forgotten: parts.forgotten,
    open: async (config, user) => await openScripted(editing, tokens, url, config, user),
    callback: callbacks.next,
    fault: faults.add,
    skewTokens: tokens.skew,
    changeSecret: tokens.changeSecret,
    crash,
    restart
  }
  return Object.assign(app, members)
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
