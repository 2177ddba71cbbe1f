import { createHash, randomBytes } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { createTime, systemClock } from './protocol/clock/time.js'
import { commandRoutes } from './protocol/commands/routes.js'
import { converter } from './documents/converter/convert.js'
import { libreOffice } from './documents/converter/libre-office.js'
import { conversionRoutes } from './protocol/conversions/routes.js'
import { builderRoutes } from './protocol/document-builder/routes.js'
import { answerFaults } from './protocol/faults/answer-faults.js'
import { faultRegistry } from './protocol/faults/registry.js'
import { outboundClient } from './protocol/outbound/client.js'
import { leaveAll, lifecycle } from './protocol/lifecycle.js'
import { assertOptions } from './options.js'
import { allowHosts } from './protocol/allowed-hosts.js'
import { editing } from './protocol/editing.js'
import { metaRoutes } from './protocol/meta/routes.js'
import type { Parts } from './protocol/parts.js'
import { receivedRequests } from './protocol/request-log/received.js'
import type { NextCallback } from './protocol/remote-control/log-routes.js'
import { remoteRoutes } from './protocol/remote-control/routes.js'
import { requestLimits } from './protocol/request-log/limits.js'
import { resultFiles } from './protocol/result-files/files.js'
import { resultRoutes } from './protocol/result-files/routes.js'
import { documents } from './protocol/sessions/documents.js'
import { openScriptedSession } from './protocol/sessions/scripted-session.js'
import { sessions } from './protocol/sessions/sessions.js'
import { createTasks } from './protocol/sessions/tasks.js'
import { escaped, statusRoute } from './protocol/status-page.js'
import { purposes } from './protocol/tokens/purpose.js'
import { createTokens } from './protocol/tokens/tokens.js'
import { waitingQueue } from './protocol/waiting-queue.js'
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
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
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
  const callbacks = waitingQueue<SentRequest>()
  const nextCallback: NextCallback = async (status, { key, signal } = {}) =>
    await callbacks.next(
      ({ body }) => (status === undefined || status === body?.status) && (key === undefined || key === body?.key),
      signal
    )
  const tokenHeader = {
    name: options.authorizationHeader ?? 'Authorization',
    prefix: options.authorizationPrefix ?? 'Bearer '
  }
  const operations = options.operations ??
    (build.behavesAs === '10.0' ? { body: 'callback', header: 'callback', download: 'download' } : {})
  const client = outboundClient({ tokens, time, tokenHeader, operations, settled })
  function settled (request: SentRequest): void {
    limits.shrink(request)
    limits.trim(client.requests)
    // Reported only when the document server has acted on the answer.
    setImmediate(() => {
      if (request.method === 'POST') callbacks.add(request)
      limits.trim(callbacks.queued)
    })
  }
  const files = resultFiles(randomBytes(32).toString('base64'), time)
  const faults = faultRegistry()
  const office = await libreOffice(options.libreOffice, { closing: ending.signal })
  const parts: Parts = {
    client,
    tokens,
    convert: converter(office, app.log),
    files,
    time,
    faults,
    documents: documents(),
    tasks: createTasks(time, client.crashSignal),
    build,
    forgotten: new Map(),
    heldCallbacks: new Map(),
    log: app.log,
    closing: ending.signal
  }
  const editors = sessions(parts)
  const { crash, restart } = lifecycle(app, parts, editors)

  app.addHook('preClose', async () => {
    ending.abort()
    await leaveAll(parts, editors)
  })
  app.addHook('onClose', async () => {
    await office?.idle()
    await client.close()
  })
  recordedHeaders(app)
  answerFaults(app, parts)
  // after the faults: it logs what is really answered
  const received = receivedRequests(app, limits)
  htmlForUnknownPaths(app)
  app.get('/healthcheck', async (request, reply) => await reply.type('text/plain; charset=utf-8').send('true'))
  resultRoutes(app, files)
  const { converter: hasConverter = true, docbuilder: hasBuilder = true, page: hasPage = true } = options.services ?? {}
  if (hasConverter) conversionRoutes(app, parts)
  else switchedOff(app, ['/converter', '/converter/from-file', '/ConvertService.ashx'])
  if (hasBuilder) builderRoutes(app, parts)
  else switchedOff(app, ['/docbuilder', '/docbuilder/from-file'])
  metaRoutes(app)
  commandRoutes(app, parts, editors)
  if (hasPage) {
    const { page } = await import('./page/page.js')
    await page(app, editing(parts, editors, () => url))
  }
  const editorApiUrl = () => `${url}${API_PATH}`
  const settings = () => ({
    'URL of api.js': editorApiUrl(),
    'JWT secret': 'the one this server was started with',
    'Token header': tokenHeader.name,
    Emulates: `document server ${build.version}`,
    Conversion: office === null ? 'without LibreOffice' : 'with LibreOffice',
    'Remote control': remoteControl ? 'at /emulator/' : 'off'
  })
  statusRoute(app, parts, settings, received)
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
      nextCallback,
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
    nextCallback: async status => await nextCallback(status),
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
    .header('Content-Security-Policy', "default-src 'none'")
    .header('X-Content-Type-Options', 'nosniff')
    .type('text/html; charset=utf-8')
    .send(Buffer.from(
      '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n' +
      `<body>\n<pre>Cannot ${method} ${escaped(url.split('?')[0]!)}</pre>\n</body>\n</html>\n`
    ))
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
