import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Readable } from 'node:stream'
import type { PageActionName } from '../../types/actions.js'
import type { EditorControl, EditorControlDefaults } from '../../types/control.js'
import {
  ForbiddenError, InvalidActionError, TooLargeError, TooManyRequestsError, UnauthorizedError
} from '../errors.js'
import type { Credentials } from '../handler/credentials.js'
import { errorStatus, thrownError, untrustedContentHeaders } from '../handler/responses.js'
import type { CommonRouteOptions } from '../handler/route-options.js'
import type { PageClaims } from '../security/page-token.js'
import type { PageAction } from './action.js'
import { readBody } from './body.js'
import { createBudget } from './budget.js'
import { NEEDS } from './rights.js'

interface Dependencies {
  /** Of the handler. */
  readonly path: string
  readonly actions: readonly PageAction[]
  readonly credentials: Pick<Credentials, 'authorizeAction'>
  readonly createControl: (defaults: EditorControlDefaults) => EditorControl
  /** Fresh ones of a page: one that is in use does not expire. */
  readonly tokensFor: (claims: PageClaims) => { readonly pageToken: string, readonly proxyToken: string }
  /** Milliseconds for a body to arrive. */
  readonly bodyTimeout: number
  /** Of each action's route. */
  readonly routeOptions: (action: PageActionName) => CommonRouteOptions
  readonly signal: AbortSignal
}

/** Codes of this plugin and of Fastify, whose messages are for everybody. */
const OWN_CODE = /^FST_(?:EDITOR|ERR)_/

/** The scope of the actions' routes: JSON in, JSON out. */
export function actionScope (
  { path, actions, credentials, createControl, tokensFor, bodyTimeout, routeOptions, signal }: Dependencies
) {
  const authorized = new WeakMap<FastifyRequest, PageClaims>()
  const spend = createBudget()

  return async function scope (scope: FastifyInstance): Promise<void> {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/json',
      async (_request: FastifyRequest, payload: Readable) =>
        await readBody(payload, { milliseconds: bodyTimeout, signal })
    )
    for (const action of actions) scope.route({ ...routeOptions(action.name), ...routeOf(action) })
  }

  function routeOf (action: PageAction): RouteOptions {
    return {
      method: 'POST',
      url: `${path}/actions/${action.name}`,
      /** Runs before the body is read. */
      async onRequest (request, reply) {
        const { name } = action
        const claims = await credentials.authorizeAction(request, { name, needs: NEEDS[name] })
        const seconds = spend(claims.page, name)
        if (seconds > 0) {
          reply.header('retry-after', seconds)
          throw new TooManyRequestsError(seconds)
        }
        authorized.set(request, claims)
      },
      async handler (request, reply) {
        const { body } = request
        if (!action.isBody(body)) throw new InvalidActionError(`its body is not that of the action ${action.name}`)
        const claims = authorized.get(request)!
        const { fileId, name, defaults } = claims
        const answer = await action.run({
          body,
          request,
          claims,
          open: async () => await createControl(defaults).openDocument(fileId, { name })
        })
        return send(reply, { ...tokensFor(claims), ...answer })
      },
      errorHandler: (error, request, reply) =>
        answerError(thrownError(error), request, reply, authorized.get(request)?.fileId)
    }
  }
}

function answerError (
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  fileId: string | undefined
): FastifyReply {
  // the rest of the body is not read
  if (!request.raw.complete && request.raw.httpVersionMajor === 1) reply.header('connection', 'close')
  const status = error instanceof TooLargeError ? 413 : errorStatus(error) // the user can do something about it
  request.log[status >= 500 ? 'error' : 'info'](
    { err: error, ...(fileId !== undefined && { fileId }) },
    'request of an editor page failed'
  )
  return send(reply.code(status), {
    code: OWN_CODE.test(error.code) ? error.code : 'FST_EDITOR_ACTION_FAILED',
    message: publicMessage(error, status)
  })
}

/** The page's user learns what the application says itself, never what a hook or a storage says. */
function publicMessage (error: FastifyError, status: number): string {
  if (status >= 500) return 'The application failed. Its log says why.'
  if (error instanceof UnauthorizedError) return 'Not authorized'
  if (error instanceof ForbiddenError) return 'Forbidden'
  return OWN_CODE.test(error.code) && error.code !== 'FST_EDITOR_ACTION_FAILED'
    ? error.message
    : 'The application refused.'
}

/** As bytes: Fastify would look for a serializer of the application. */
function send (reply: FastifyReply, answer: object): FastifyReply {
  return reply.headers({ ...untrustedContentHeaders, 'content-type': 'application/json; charset=utf-8' }).send(
    Buffer.from(JSON.stringify(answer))
  )
}
