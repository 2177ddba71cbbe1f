import type { Readable } from 'node:stream'
import type {
  FastifyError, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteHandlerMethod, RouteOptions
} from 'fastify'
import {
  EditorError, FileNotFoundError, InvalidReportError, InvalidUrlError, MethodNotAllowedError, UnknownActionError,
  UnsupportedSchemeError
} from '../errors.js'
import type { Parts } from '../parts.js'
import { assetsScope, type PageModules } from './assets.js'
import { createCallbackHandler } from './callback.js'
import { callbackFields, createUnprovenLog, publishRefused } from './callback-reports.js'
import { createDownloadHandler } from './download.js'
import { createObserver, publishWhenClosed } from './observer.js'
import { probeScope } from './probes.js'
import { createProxyHandler } from './proxy.js'
import { createReportHandler } from './report.js'
import {
  type Action, addRequestNotes, answerCallback, closeUnlessComplete, type DescribedSchema, errorStatus,
  type HandlerRequest, isHandlerQuery, METHODS, namedFileId, notesOf, readCallback, restoreText, type RouteOptionsOf,
  sendError, thrownError, untrustedContentHeaders
} from './request.js'
import { schemas } from './request.compiled.js'

type ActionHandler = (request: HandlerRequest, reply: FastifyReply) => Promise<FastifyReply>

const allowedMethods: Record<Action, readonly string[]> = {
  callback: ['POST'],
  download: ['GET', 'HEAD'],
  proxy: ['GET', 'HEAD'],
  report: ['POST']
}

/**
 * Statuses of a rate limiter: the document server then tries again, whereas it gives up after `{"error":1}`.
 * Source: emulator/docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
 */
const RATE_LIMITED: ReadonlySet<number> = new Set([429, 503])

const documented: Readonly<Partial<Record<HTTPMethods, DescribedSchema>>> = {
  GET: {
    summary: 'Download a document, or fetch a file for a page',
    description: [
      '`action=download`: the document server downloads a stored document, or an earlier version of it. Range and conditional requests work. The URL is signed; without `signedUrls`, the request has a token of the document server.',
      '`action=proxy`: a page with an editor fetches a file through this origin, from the document server or an allowed origin. The status is the other server\'s. The header `x-editor-proxy-token` has the `proxyToken` of a control.'
    ].join('\n\n'),
    querystring: schemas.query,
    security: []
  },
  POST: {
    summary: 'Report an event of a document',
    description: [
      '`action=callback`: the document server reports who edits a document, and the URL of each save. `{"error":0}` is sent only after the save is stored. `{"error":1}` refuses it, and the document server keeps the changes. The URL is signed, and the body or a header has a token of the document server.',
      '`action=report`: a page with an editor reports that its document did not open, with its `proxyToken`. The request has no body and no content type.'
    ].join('\n\n'),
    querystring: schemas.query,
    body: schemas.callback,
    security: []
  }
}

interface ScopeOptions {
  /** The doctor's, if it has one. */
  readonly otherRoutes: readonly RouteOptions[]
  /** Of the page actions, which read bodies differently. */
  readonly actions: (scope: FastifyInstance) => Promise<void>
  readonly pageModules: PageModules
  readonly routeOptions: RouteOptionsOf
}

/** The handler's routes, one for each method: they select by `action`, and answer errors as the action requires. */
function handlerRoutes (services: Parts, routeOptions: RouteOptionsOf): RouteOptions[] {
  const { settings: { path }, credentials, openings } = services
  const actions: Record<Action, ActionHandler> = {
    callback: createCallbackHandler(services),
    download: createDownloadHandler(services),
    proxy: createProxyHandler(services),
    report: createReportHandler(services)
  }
  const observer = createObserver(services, openings)
  const logUnproven = createUnprovenLog()

  const handler: RouteHandlerMethod = (request, reply) => {
    const handlerRequest = request as HandlerRequest
    observer.reached(request, reply)
    publishWhenClosed(handlerRequest, reply)
    return actions[handlerRequest.query.action](handlerRequest, reply)
  }

  /**
   * Runs before the body is read: reading is the most expensive step. Only callbacks may have a body. Asynchronous, so
   * that a request without a body is complete when it is refused: its connection can be used again.
   */
  async function assertAdmitted (request: FastifyRequest): Promise<void> {
    restoreText(request)
    const { query, method } = request
    const { action } = query as { action?: unknown }
    if (!isAction(action)) throw new UnknownActionError()
    const allowed = allowedMethods[action]
    if (!allowed.includes(method)) throw new MethodNotAllowedError(action, allowed.join(', '))
    if (action === 'callback') credentials.assertSignedCallback(request)
    if (action === 'report' && mayHaveBody(request)) {
      throw new InvalidReportError('it must have no body and no content type')
    }
  }

  const common = {
    url: path,
    exposeHeadRoute: false,
    onRequest: assertAdmitted,
    // Set on the route, so that an error handler that the application adds to all routes has no effect here.
    validatorCompiler: ({ httpPart }) =>
      httpPart === 'querystring' ? query => isHandlerQuery(query) || { error: new Error('invalid query') } : () => true,
    errorHandler (thrown, request, reply) {
      const error = thrownError(thrown)
      observer.failed(request, error)
      return isCallback(request) ? refuseCallback(error, request, reply) : handleError(error, request, reply)
    },
    onResponse (request, reply, done) {
      observer.ended(request, reply)
      done()
    },
    handler
  } satisfies Partial<RouteOptions>

  function refuseCallback (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { callback, hasReachedAction = false } = notesOf(request)
    const { isProven, isUrlSigned } = credentials.proofOf(request)
    if (!hasReachedAction) publishRefused(request, reply, { error, isProven })
    const isRateLimited = RATE_LIMITED.has(errorStatus(error)) && !(error instanceof EditorError)
    if (isRateLimited) return handleError(error, request, reply)
    closeUnlessComplete(request, reply)
    if (!isProven) logUnproven(request, reply, { error, isUrlSigned })
    else {
      request.log.error({
        err: error,
        fileId: namedFileId(request),
        ...(callback && callbackFields(callback)),
        durationMs: reply.elapsedTime
      }, 'callback refused: the document server keeps the unsaved changes')
    }
    return answerCallback(reply, 1)
  }

  return METHODS.map(method => {
    const { schema, ...options } = routeOptions('document-server', documented[method])
    return { ...options, ...common, method, schema: { querystring: schemas.query, ...schema } }
  })
}

/** Fastify parses no body without these headers. */
function mayHaveBody ({ headers }: FastifyRequest): boolean {
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': encoding } = headers
  return type !== undefined || length !== '0' || encoding !== undefined
}

/**
 * How a request is logged: the default serializer would log the query, which contains a document's URL or a signature.
 */
export function requestWithoutQuery (request: FastifyRequest) {
  return { method: request.method, url: request.url.split('?', 1)[0], host: request.host, remoteAddress: request.ip }
}

function isCallback ({ query, method }: FastifyRequest): boolean {
  return method === 'POST' && (query as { action?: unknown }).action === 'callback'
}

function handleError (original: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  closeUnlessComplete(request, reply)
  const action = (request.query as { action?: unknown }).action
  const notes = notesOf(request)
  const error = original.code === 'FST_ERR_VALIDATION' ? invalidQueryError(action) : original
  notes.error = error
  const status = errorStatus(error)
  if (!notes.hasReachedAction) publishWhenClosed(request, reply)
  request.log[status >= 500 ? 'error' : 'info']({ err: error }, 'editor request failed')
  if (status === 405 && isAction(action)) reply.header('allow', allowedMethods[action].join(', '))
  // Set for a body that failed.
  for (const name of ['content-disposition', 'content-length', 'etag', 'last-modified']) reply.removeHeader(name)
  // These two are sent as text, as the specification requires.
  return action === 'proxy' && (error instanceof InvalidUrlError || error instanceof UnsupportedSchemeError)
    ? reply.code(status).headers({ ...untrustedContentHeaders, 'content-type': 'text/plain' }).send(error.message)
    : sendError(reply, error)
}

/** A query parameter that is not a string names neither a file nor a URL. */
function invalidQueryError (action: unknown): FastifyError {
  if (action === 'report') return new InvalidReportError('each parameter must occur once')
  return action === 'proxy' ? new InvalidUrlError() : new FileNotFoundError()
}

function isAction (action: unknown): action is Action {
  return typeof action === 'string' && Object.hasOwn(allowedMethods, action)
}

/**
 * Everybody who may open a document knows its callback URL. Parsing and verifying a MiB blocks the process for about 5
 * ms. The document server's token in the header lets a long history pass.
 */
const UNPROVEN_BYTES = 256 * 1024

/** The scope of the handler's routes: fastify-plugin ignores a prefix, and shares its scope with the application. */
export function handlerScope (services: Parts, { otherRoutes, actions, pageModules, routeOptions }: ScopeOptions) {
  const { settings: { path, bodyLimit, timeouts }, credentials, offers, shutdown } = services
  return async function handler (scope: FastifyInstance): Promise<void> {
    // A kept-alive connection would keep the server from closing.
    scope.addHook('onSend', (_request, reply, _payload, done) => {
      if (shutdown.closing.aborted) reply.header('connection', 'close')
      done()
    })
    addRequestNotes(scope)
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
      const notes = notesOf(request)
      notes.isReadingBody = true
      const isProven = credentials.isProvenByHeader(request as HandlerRequest)
      const body = await readCallback(request, payload, {
        limit: isProven ? bodyLimit : Math.min(bodyLimit, UNPROVEN_BYTES),
        milliseconds: timeouts.body,
        signal: shutdown.endAll
      })
      notes.isReadingBody = false
      return body
    })
    const offeredFiles = { ...routeOptions('document-server'), ...offers.route }
    for (const route of [...handlerRoutes(services, routeOptions), offeredFiles, ...otherRoutes]) scope.route(route)
    await scope.register(actions)
    await scope.register(probeScope(services, routeOptions))
    await scope.register(assetsScope(path, pageModules, routeOptions('page')))
  }
}
