import type { FastifyError, FastifyReply, FastifyRequest, HTTPMethods, RouteHandlerMethod, RouteOptions } from 'fastify'
import { FileNotFoundError, ForbiddenError, InvalidUrlError, MethodNotAllowedError, UnauthorizedError, UnknownActionError } from '../errors.js'
import { type Action, HandlerQuery, isHandlerQuery } from '../schemas.js'
import { MAX_FILE_ID_BYTES } from '../security/file-id.js'
import { answer } from './callback.js'
import type { Credentials } from './credentials.js'
import { inert } from './responses.js'

export type HandlerRequest = FastifyRequest & { readonly query: HandlerQuery }
type ActionHandler = (request: HandlerRequest, reply: FastifyReply) => Promise<FastifyReply>

export interface HandlerActions extends Record<Action, ActionHandler> {}

/** All that Fastify knows by itself: one that had no route would be logged with its query by the host. */
export const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

const allowedMethods: Record<Action, readonly string[]> = {
  callback: ['POST'],
  download: ['GET', 'HEAD'],
  proxy: ['GET', 'HEAD']
}

/**
 * What a limiter of the host answers: the document server tries again then, where it gives up after `{"error":1}`.
 * Source: docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
 */
const TRY_AGAIN: ReadonlySet<number> = new Set([429, 503])

/** The one route: selects by `action`, and turns every error into the answer its action owes. */
export function handlerRoute (path: string, actions: HandlerActions, credentials: Pick<Credentials, 'admitCallback'>, options: Pick<RouteOptions, 'constraints'>): RouteOptions {
  const handler: RouteHandlerMethod = (request, reply) => {
    const handlerRequest = request as HandlerRequest
    return actions[handlerRequest.query.action](handlerRequest, reply)
  }

  /** Before the body is read: only a callback has one, and reading it is what costs most. */
  async function assertWelcome (request: FastifyRequest): Promise<void> {
    const { query, method } = request
    const { action } = query as { action?: unknown }
    if (!isAction(action)) throw new UnknownActionError()
    const allowed = allowedMethods[action]
    if (!allowed.includes(method)) throw new MethodNotAllowedError(action, allowed.join(', '))
    if (action === 'callback') await credentials.admitCallback(request)
  }

  return {
    ...options,
    method: METHODS,
    url: path,
    onRequest: assertWelcome,
    schema: { querystring: HandlerQuery },
    // Set on the route so that a validator or an error handler of the host changes nothing here.
    validatorCompiler: () => query => isHandlerQuery(query) || { error: new Error('invalid query') },
    errorHandler: handleError,
    handler
  }
}

/** How a request is logged: the default line would print its query, which holds a document's address or a credential. */
export function requestWithoutQuery (request: FastifyRequest) {
  return { method: request.method, url: request.url.split('?', 1)[0], host: request.host, remoteAddress: request.ip }
}

function handleError (original: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!request.raw.complete && request.raw.httpVersionMajor === 1) reply.header('connection', 'close') // nobody waits for the rest of a body
  const action = (request.query as { action?: unknown }).action
  if (action === 'callback' && request.method === 'POST' && !TRY_AGAIN.has(original.statusCode ?? 500)) {
    request.log.warn({ err: original, fileId: fileIdOf(request) }, 'callback refused: the document server keeps what it has')
    return answer(reply, 1)
  }
  const error = original.code === 'FST_ERR_VALIDATION' ? invalidQueryError(action) : original
  const status = error.statusCode ?? 500
  request.log[status >= 500 ? 'error' : 'info']({ err: error }, 'editor request failed')
  if (status === 405 && isAction(action)) reply.header('allow', allowedMethods[action].join(', '))
  for (const name of ['content-disposition', 'content-length', 'etag', 'last-modified']) reply.removeHeader(name)
  return reply.code(status).headers({ ...inert, 'content-type': 'text/plain' }).send(textFor(error, status))
}

/** What a stranger is told. Why a credential does not count, and how to mend it, is for the log. */
function textFor (error: FastifyError, status: number): string {
  if (status === 500) return 'Internal Server Error'
  if (error instanceof UnauthorizedError) return 'Not authorized'
  return error instanceof ForbiddenError ? 'Forbidden' : error.message
}

/** A query parameter that is no text names nothing: no file, no URL. */
function invalidQueryError (action: unknown): FastifyError {
  return action === 'proxy' ? new InvalidUrlError() : new FileNotFoundError()
}

function isAction (action: unknown): action is Action {
  return typeof action === 'string' && Object.hasOwn(allowedMethods, action)
}

/** For the log: as much of it as an id can have. */
function fileIdOf (request: FastifyRequest): string | undefined {
  const { fileId } = request.query as { fileId?: unknown }
  return typeof fileId === 'string' ? fileId.slice(0, MAX_FILE_ID_BYTES) : undefined
}
