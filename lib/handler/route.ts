import type { Readable } from 'node:stream'
import type {
  FastifyError, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteHandlerMethod, RouteOptions
} from 'fastify'
import {
  FileNotFoundError, ForbiddenError, InvalidReportError, InvalidUrlError, MethodNotAllowedError, UnauthorizedError,
  UnknownActionError
} from '../errors.js'
import { assetsScope, type PageModules } from './assets.js'
import { callbackReader, parseCallbackBody } from './body-reader.js'
import { createCallbackHandler } from './callback.js'
import { callbackFields, createUnprovenLog, publishRefused } from './callback-reports.js'
import { createDownloadHandler } from './download.js'
import { createObserver, publishFailed, publishWhenClosed } from './observer.js'
import { createProbeRequests, type ProbeRequests } from './probe-requests.js'
import { createProxyHandler } from './proxy.js'
import { createReportHandler } from './report.js'
import {
  type Action, addRequestNotes, answerCallback, errorStatus, type HandlerRequest, isEndedByHook, isHandlerQuery,
  namedFileId, notesOf, probeOf, restoreText, type RouteOptionsOf, type SwaggerTransform, thrownError,
  untrustedContentHeaders
} from './request.js'
import type { HandlerServices } from './services.js'

type ActionHandler = (request: HandlerRequest, reply: FastifyReply) => Promise<FastifyReply>

/**
 * All methods that Fastify supports by default: a request with a method that has no route would be logged with its
 * query.
 */
export const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

const allowedMethods: Record<Action, readonly string[]> = {
  callback: ['POST'],
  download: ['GET', 'HEAD'],
  proxy: ['GET', 'HEAD'],
  report: ['POST']
}

/**
 * Statuses of a rate limiter: the document server then tries again, whereas it gives up after `{"error":1}`.
 * Source: docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
 */
const RATE_LIMITED: ReadonlySet<number> = new Set([429, 503])

interface ScopeOptions {
  /** Explains the last opening of a file by the requests that the handler saw, for the log. */
  readonly explainOpening: (fileId: string) => string | undefined
  /** Further routes below the handler's path, with all their options. */
  readonly otherRoutes: readonly RouteOptions[]
  /** Scopes of further routes, which read bodies differently. */
  readonly otherScopes: ReadonlyArray<(scope: FastifyInstance) => Promise<void>>
  readonly pageModules: PageModules
  readonly routeOptions: RouteOptionsOf
  /** The descriptions of the methods in API documentation. A method without one is hidden there. */
  readonly transforms: Readonly<Partial<Record<HTTPMethods, SwaggerTransform>>> | undefined
}

/** The handler's routes, one for each method: they select by `action`, and answer errors as the action requires. */
function handlerRoutes (
  services: HandlerServices, probeRequests: ProbeRequests, { explainOpening, routeOptions, transforms }: ScopeOptions
): RouteOptions[] {
  const { settings: { path }, credentials, openings } = services
  const actions: Record<Action, ActionHandler> = {
    callback: createCallbackHandler(services),
    download: createDownloadHandler(services),
    proxy: createProxyHandler(services),
    report: createReportHandler(services, explainOpening)
  }
  const observer = createObserver(services, openings)
  const logUnproven = createUnprovenLog()

  const handler: RouteHandlerMethod = (request, reply) => {
    if (isProbe(request, probeRequests)) return probeRequests.answer(request, reply)
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
    if (isProbe(request, probeRequests)) return
    if (action === 'callback') credentials.assertSignedCallback(request)
    if (action === 'report' && mayHaveBody(request)) {
      throw new InvalidReportError('it must have no body and no content type')
    }
  }

  const common = {
    url: path,
    exposeHeadRoute: false,
    onRequest: assertAdmitted,
    // Set on the route, so that a validator, an error handler or a schema that the application adds to all routes has
    // no effect here.
    validatorCompiler: ({ httpPart }) =>
      httpPart === 'querystring' ? query => isHandlerQuery(query) || { error: new Error('invalid query') } : () => true,
    errorHandler (thrown, request, reply) {
      const error = thrownError(thrown)
      observer.failed(request, error)
      if (isEndedByHook(notesOf(request)) && isProbe(request, probeRequests)) return answerProbe(error, reply)
      return isCallback(request) ? refuseCallback(error, request, reply) : handleError(error, request, reply)
    },
    onSend (request, reply, _payload, done) {
      if (isProbe(request, probeRequests)) probeRequests.markIfEndedByHook(request, reply)
      done()
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
    if (RATE_LIMITED.has(error.statusCode ?? 500)) return handleError(error, request, reply)
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
    const { schema, ...options } = routeOptions('document-server', transforms?.[method])
    return { ...options, ...common, method, schema: { ...schema, querystring: {} } }
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

/** The connection cannot be used again: the rest of the body is not read. */
function closeUnlessComplete ({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (!raw.complete && raw.httpVersionMajor === 1) reply.header('connection', 'close')
}

function handleError (original: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  closeUnlessComplete(request, reply)
  const action = (request.query as { action?: unknown }).action
  const { hasReachedAction = false } = notesOf(request)
  const error = original.code === 'FST_ERR_VALIDATION' ? invalidQueryError(action) : original
  const status = errorStatus(error)
  if (!hasReachedAction) publishFailed(request, reply, { error, status })
  request.log[status >= 500 ? 'error' : 'info']({ err: error }, 'editor request failed')
  if (status === 405 && isAction(action)) reply.header('allow', allowedMethods[action].join(', '))
  // Set for a body that failed.
  for (const name of ['content-disposition', 'content-length', 'etag', 'last-modified']) reply.removeHeader(name)
  return reply.code(status).headers({ ...untrustedContentHeaders, 'content-type': 'text/plain' }).send(
    publicMessage(error, status)
  )
}

/** Sends the error that a hook threw to the doctor. A real callback would be answered differently. */
function answerProbe (error: FastifyError, reply: FastifyReply): FastifyReply {
  const status = errorStatus(error)
  const text = [error.code ?? error.name, ...status < 500 ? [error.message] : []].join(': ')
  return reply.code(status).headers({ ...untrustedContentHeaders, 'content-type': 'text/plain; charset=utf-8' }).send(
    text
  )
}

/** The message for the client. Why credentials are invalid, and how to fix it, is only logged. */
function publicMessage (error: FastifyError, status: number): string {
  if (status === 500) return 'Internal Server Error'
  if (error instanceof UnauthorizedError) return 'Not authorized'
  return error instanceof ForbiddenError ? 'Forbidden' : error.message
}

/** A query parameter that is not a string names neither a file nor a URL. */
function invalidQueryError (action: unknown): FastifyError {
  if (action === 'report') return new InvalidReportError('each parameter must occur once')
  return action === 'proxy' ? new InvalidUrlError() : new FileNotFoundError()
}

function isAction (action: unknown): action is Action {
  return typeof action === 'string' && Object.hasOwn(allowedMethods, action)
}

/** Only what looks like a probe is examined further. */
function isProbe (request: FastifyRequest, { recognizes }: ProbeRequests): boolean {
  return probeOf(request) !== undefined && recognizes(request)
}

/** The scope of the handler's routes: fastify-plugin ignores a prefix, and shares its scope with the application. */
export function handlerScope (services: HandlerServices, options: ScopeOptions) {
  const { settings: { path }, probes, shutdown } = services
  const { otherRoutes, otherScopes, pageModules, routeOptions } = options
  const probeRequests = createProbeRequests(services, probes)
  const readCallback = callbackReader(services)
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
      const body = isProbe(request, probeRequests)
        ? await probeRequests.readBody(payload)
        : parseCallbackBody(await readCallback(request as HandlerRequest, payload))
      notes.isReadingBody = false
      return body
    })
    for (const route of [...handlerRoutes(services, probeRequests, options), ...otherRoutes]) scope.route(route)
    for (const other of otherScopes) await scope.register(other)
    await scope.register(assetsScope(path, pageModules, routeOptions('page')))
  }
}
