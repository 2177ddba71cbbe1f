import { createHash, randomBytes } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { createTime, systemClock } from './clock/time.js'
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
import { receivedRequests } from './log/received.js'
import { remoteRoutes } from './remote/routes.js'
import { requestLog } from './log/limits.js'
import { resultFiles } from './results/files.js'
import { resultRoutes } from './results/routes.js'
import { sentCallbacks } from './log/sent-callbacks.js'
import { documents } from './sessions/documents.js'
import type { SessionParts } from './sessions/parts.js'
import { openScripted } from './sessions/scripted.js'
import { sessions } from './sessions/sessions.js'
import { activity } from './status/activity.js'
import { statusRoute } from './status/routes.js'
import { createTokens } from './tokens/tokens.js'
import type { DocumentServer, DocumentServerMembers, DocumentServerOptions, HostRequest } from '../types/document-server.js'

/**
 * Starts an emulated document server for tests and development: it opens, edits, saves and converts documents
 * as ONLYOFFICE Docs does. Listens when resolved. Close it with `close()`, which saves and leaves all sessions.
 */
export async function createDocumentServer (options: DocumentServerOptions): Promise<DocumentServer> {
  const { jwtSecret, logger = false, clock = systemClock, port = 0, host: hostname = '127.0.0.1', publicUrl, remoteControl = false } = options
  const kept = requestLog(options.requestLog)
  const app: FastifyInstance = Fastify({
    logger,
    bodyLimit: 16 * 1024 * 1024,
    forceCloseConnections: true,
    // Source: recorded: `Keep-Alive: timeout=5`.
    keepAliveTimeout: 5000,
    // Sessions are saved while closing, and the host must still be able to fetch what was saved.
    return503OnClosing: false,
    // Source: observed: `/Command` and `/command/` are `/command`.
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true }
  })
  answerToOwnNames(app, options)
  let url = ''
  const ending = new AbortController()
  const time = createTime(clock)
  const tokens = createTokens(jwtSecret, time)
  const callbacks = sentCallbacks(kept)
  const seen = activity()
  const tokenHeader = { name: options.authorizationHeader ?? 'Authorization', prefix: options.authorizationPrefix ?? 'Bearer ' }
  const host = hostClient({ tokens, time, tokenHeader, settled })
  function settled (request: HostRequest): void {
    seen.addSent(request)
    kept.shrinkSent(request)
    kept.trim(host.requests)
    // Told of once the document server has done what the answer asks for.
    setImmediate(() => callbacks.add(request))
  }
  const files = resultFiles(randomBytes(32).toString('base64'), time)
  const faults = faultRegistry()
  const office = await libreOffice(options.libreOffice, { closing: ending.signal })
  const convert = converter(office)
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
  app.addHook('onClose', async () => {
    await office?.idle()
    await host.close()
  })
  recordedHeaders(app)
  answerFaults(app, { faults, time, closing })
  const received = receivedRequests(app, kept, seen.addReceived) // after the faults: it keeps what is really answered
  app.get('/healthcheck', async (request, reply) => await reply.type('text/plain; charset=utf-8').send('true'))
  resultRoutes(app, files)
  conversionRoutes(app, { ...common, conversions: conversions({ host, time, files, faults, convert, closing, log }) })
  commandRoutes(app, { ...common, parts })
  await pageRoutes(app, files)
  await socketRoute(app, common)
  const editorApiUrl = () => `${url}${API_PATH}`
  statusRoute(app, { parts, seen, settings: () => ({ editorApiUrl: editorApiUrl(), tokenHeader: tokenHeader.name, libreOffice: office !== null, remoteControl }) })
  const open: DocumentServerMembers['open'] = async (config, user) => await openScripted(editing, tokens, url, config, user)
  const scripted = { requests: host.requests, received, forgotten: parts.forgotten, open, fault: faults.add }
  if (remoteControl) await remoteRoutes(app, { ...scripted, callback: callbacks.next, clock, url: () => url, editorApiUrl })

  url = (publicUrl ?? await app.listen({ port, host: hostname })).replace(/\/+$/, '')
  if (publicUrl !== undefined) await app.listen({ port, host: hostname })
  const members: DocumentServerMembers = {
    url,
    ...scripted,
    editorApiUrl: editorApiUrl(),
    callback: async status => await callbacks.next(status),
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
