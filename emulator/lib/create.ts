import { createHash, randomBytes } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { createTime, systemClock } from './protocol/clock/time.js'
import { commandRoutes } from './protocol/commands/routes.js'
import { conversions } from './protocol/conversions/conversions.js'
import { converter } from './documents/converter/convert.js'
import { libreOffice } from './documents/converter/libre-office.js'
import { conversionRoutes } from './protocol/conversions/routes.js'
import { builds } from './protocol/document-builder/builds.js'
import { builderRoutes } from './protocol/document-builder/routes.js'
import { answerFaults } from './protocol/faults/answer-faults.js'
import { faultRegistry } from './protocol/faults/registry.js'
import { outboundClient } from './protocol/outbound/client.js'
import { leaveAll, lifecycle } from './protocol/lifecycle.js'
import { assertOptions } from './options.js'
import { allowHosts } from './protocol/allowed-hosts.js'
import { editing } from './protocol/editing.js'
import { handshakeRoute } from './protocol/handshake.js'
import { metaRoutes } from './protocol/meta/routes.js'
import { receivedRequests } from './protocol/request-log/received.js'
import { remoteRoutes } from './protocol/remote-control/routes.js'
import { requestLimits } from './protocol/request-log/limits.js'
import { resultFiles } from './protocol/result-files/files.js'
import { resultRoutes } from './protocol/result-files/routes.js'
import { callbackQueue } from './protocol/request-log/callback-queue.js'
import { documents } from './protocol/sessions/documents.js'
import type { SessionParts } from './protocol/sessions/parts.js'
import { openScriptedSession } from './protocol/sessions/scripted-session.js'
import { sessions } from './protocol/sessions/sessions.js'
import { createTasks } from './protocol/sessions/tasks.js'
import { latestRequests } from './protocol/status-page/latest-requests.js'
import { html } from './protocol/status-page/html.js'
import { statusRoute } from './protocol/status-page/routes.js'
import { purposes } from './protocol/tokens/purpose.js'
import { createTokens } from './protocol/tokens/tokens.js'
import { API_PATH } from './url.js'
import { buildOf, purposeCheckOf } from './version.js'
import type {
  DocumentServer, DocumentServerMembers, DocumentServerOptions, SentRequest
} from '../types/document-server.js'

/**
 * Starts an emulated document server for tests and development. It opens, edits, saves and converts documents as
 * ONLYOFFICE Docs does. Resolves when it listens. Its `close()` makes everybody leave and saves all documents.
 *
 * @throws {TypeError} if an option is invalid.
 * @throws {Error} with the code `EADDRINUSE` or another of Node.js, if it can't listen.
 *
 * @example
 * const documentServer = await createDocumentServer({ jwtSecret })
 * const session = await documentServer.open(config)
 */
export async function createDocumentServer (options: DocumentServerOptions): Promise<DocumentServer> {
  assertOptions(options)
  const build = buildOf(options.version)
  const {
    logger = false,
    clock = systemClock,
    port = 0,
    host: hostname = '127.0.0.1',
    publicUrl,
    remoteControl = false
  } = options
  const limits = requestLimits(options.requestLog)
  const app: FastifyInstance = Fastify({
    logger,
    bodyLimit: 16 * 1024 * 1024,
    forceCloseConnections: true,
    // Source: recorded: `Keep-Alive: timeout=5`.
    keepAliveTimeout: 5000,
    // Closing saves the sessions: the application must still be able to fetch the results.
    return503OnClosing: false,
    // Source: observed: `/Command` and `/command/` equal `/command`.
    // A base of callbacks may leave `//cache`, which the document server's own nginx reads as `/cache`.
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, ignoreDuplicateSlashes: true }
  })
  allowHosts(app, options)
  let url = ''
  const ending = new AbortController()
  const time = createTime(clock)
  const tokens = createTokens(options, purposes(purposeCheckOf(options, build)), time)
  const callbacks = callbackQueue(limits)
  const latest = latestRequests()
  const tokenHeader = {
    name: options.authorizationHeader ?? 'Authorization',
    prefix: options.authorizationPrefix ?? 'Bearer '
  }
  const operations = options.operations ??
    (build.behavesAs === '10.0' ? { body: 'callback', header: 'callback', download: 'download' } : {})
  const client = outboundClient({ tokens, time, tokenHeader, operations, settled })
  function settled (request: SentRequest): void {
    latest.addSent(request)
    limits.shrink(request)
    limits.trim(client.requests)
    // Reported only when the document server has acted on the answer.
    setImmediate(() => callbacks.add(request))
  }
  const files = resultFiles(randomBytes(32).toString('base64'), time)
  const faults = faultRegistry()
  const office = await libreOffice(options.libreOffice, { closing: ending.signal })
  const log = app.log
  const convert = converter(office, log)
  const closing = ending.signal
  const parts: SessionParts = {
    client,
    files,
    time,
    faults,
    documents: documents(),
    tasks: createTasks(time, client.crashSignal),
    build,
    forgotten: new Map(),
    heldCallbacks: new Map(),
    log,
    closing
  }
  const editors = sessions(parts)
  const { crash, restart } = lifecycle(app, parts, editors)
  const common = {
    sessions: editors,
    files,
    faults,
    tokens,
    convert,
    hasFromFile: build.behavesAs === '10.0'
  }

  app.addHook('preClose', async () => {
    ending.abort()
    await leaveAll(parts, editors)
  })
  app.addHook('onClose', async () => {
    await office?.idle()
    await client.close()
  })
  recordedHeaders(app)
  answerFaults(app, { faults, time, closing })
  // after the faults: it logs what is really answered
  const received = receivedRequests(app, limits, latest.addReceived)
  htmlForUnknownPaths(app)
  app.get('/healthcheck', async (request, reply) => await reply.type('text/plain; charset=utf-8').send('true'))
  resultRoutes(app, files)
  const { converter: hasConverter = true, docbuilder: hasBuilder = true, page: hasPage = true } = options.services ?? {}
  if (hasConverter) {
    conversionRoutes(app, {
      ...common,
      conversions: conversions({ client, time, files, faults, convert, closing, isSigned: tokens.areRequired, log })
    })
  } else switchedOff(app, ['/converter', '/converter/from-file', '/ConvertService.ashx'])
  if (hasBuilder) {
    builderRoutes(app, { ...common, builds: builds({ client, time, files, faults, convert, closing, log }) })
  } else switchedOff(app, ['/docbuilder', '/docbuilder/from-file'])
  metaRoutes(app)
  commandRoutes(app, { ...common, parts })
  handshakeRoute(app, tokens)
  if (hasPage) {
    const { page } = await import('./page/page.js')
    await page(app, editing({ ...common, build, client, time, closing, url: () => url }))
  }
  const editorApiUrl = () => `${url}${API_PATH}`
  statusRoute(app, {
    parts,
    latest,
    settings: () => ({
      editorApiUrl: editorApiUrl(),
      tokenHeader: tokenHeader.name,
      libreOffice: office !== null,
      remoteControl,
      build
    })
  })
  const open: DocumentServerMembers['open'] = async (config, user, connection) =>
    await openScriptedSession(editors, tokens, url, config, user, connection)
  const scripted = {
    sentRequests: client.requests,
    receivedRequests: received,
    forgotten: parts.forgotten,
    open,
    fault: faults.add
  }
  if (remoteControl) {
    await remoteRoutes(app, {
      ...scripted,
      nextCallback: callbacks.next,
      clock,
      build,
      url: () => url,
      editorApiUrl
    })
  }

  url = (publicUrl ?? await app.listen({ port, host: hostname })).replace(/\/+$/, '')
  if (publicUrl !== undefined) await app.listen({ port, host: hostname })
  const members: DocumentServerMembers = {
    url,
    ...scripted,
    editorApiUrl: editorApiUrl(),
    nextCallback: async status => await callbacks.next(status),
    skewTokens: tokens.skew,
    changeSecret: tokens.changeSecret,
    crash,
    restart
  }
  return Object.assign(app, members)
}

/** Answers as a service that is switched off. Source: docs/document-server-protocol.md#files-in-requests */
function switchedOff (app: FastifyInstance, paths: readonly string[]): void {
  const forbid = async (_request: FastifyRequest, reply: FastifyReply) => await reply.code(403).send('Forbidden')
  for (const path of paths) app.all(path, { onRequest: forbid }, forbid) // whatever the body is
}

/** Answers unknown paths as Express does. Source: observed. */
function htmlForUnknownPaths (app: FastifyInstance): void {
  const answer = async ({ method, url }: FastifyRequest, reply: FastifyReply) => await reply.code(404)
    .header('Content-Security-Policy', "default-src 'none'").header('X-Content-Type-Options', 'nosniff').type('text/html; charset=utf-8')
    .send(Buffer.from(html`<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n<pre>Cannot ${method} ${url.split('?')[0]!}</pre>\n</body>\n</html>\n`.text))
  // Before the body is read, whatever it is. The remote control has its own answer.
  app.addHook(
    'onRequest',
    async (request, reply) => request.is404 && request.server === app ? await answer(request, reply) : undefined
  )
  app.setNotFoundHandler(answer)
}

/** Headers of every recorded answer. */
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
