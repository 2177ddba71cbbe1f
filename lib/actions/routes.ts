import type { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { InvalidActionError, TooLargeError, TooManyRequestsError } from '../errors.js'
import {
  closeUnlessComplete, type DescribedSchema, errorStatus, type RouteOptionsOf, sendError, sendJson, thrownError
} from '../handler/request.js'
import type { Settings } from '../options.js'
import type { PageClaims } from '../security/signatures.js'
import { createLimiter, readBody } from '../util/limits.js'
import { isJsonObject, type JsonObject, parseJson } from '../util/text.js'
import type { PageActionName } from '../../types/actions.js'
import type { ActionServices, PageAction } from './action.js'
import { bodies, bodySchemas } from './actions.compiled.js'
import { configActions } from './config.js'
import { documentActions } from './document.js'
import { fileActions } from './files.js'
import { historyActions } from './history.js'

/** If the body arrives later than this, the request is authorized again. */
const TIMELY_MS = 1000

interface Authorized {
  readonly claims: PageClaims
  /** Milliseconds, by the monotonic clock. */
  readonly at: number
}

/** The scope of the actions' routes: JSON in, JSON out. */
export function actionScope (services: ActionServices, routeOptions: RouteOptionsOf) {
  const { settings, credentials, createControl, pageTokens, urls } = services
  const authorized = new WeakMap<FastifyRequest, Authorized>()
  /** Bounds the work of one page at this instance. */
  const spend = createLimiter({ amount: 120, interval: 60_000 })

  return async function scope (scope: FastifyInstance): Promise<void> {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/json',
      async (_request: FastifyRequest, payload: Readable) => await readJson(payload, services)
    )
    for (const action of pageActions(settings)) {
      scope.route({ ...routeOptions('page', schemaOf(action)), ...routeOf(action) })
    }
  }

  function routeOf (action: NamedAction): RouteOptions {
    const { name, cost } = action
    return {
      method: 'POST',
      url: `${settings.path}/actions/${name}`,
      validatorCompiler: ({ httpPart }) => httpPart === 'body'
        ? body => bodies[name](body) || { error: new InvalidActionError(`its body is not valid for the action ${name}`) }
        : () => true,
      /** Runs before the body is read. */
      async onRequest (request, reply) {
        const claims = await credentials.authorizeAction(request, action)
        const { wait } = spend(claims.page, cost)
        if (wait > 0) {
          const seconds = Math.ceil(wait / 1000)
          reply.header('retry-after', seconds)
          throw new TooManyRequestsError(seconds)
        }
        authorized.set(request, { claims, at: performance.now() })
      },
      async handler (request, reply) {
        const { body } = request
        const { claims, at } = authorized.get(request)!
        // A page can hold the body back until its user's rights have been taken away.
        if (performance.now() - at > TIMELY_MS) await credentials.authorizeAction(request, action)
        const { fileId, title, defaults } = claims
        const answer = await action.run({
          body: body as never, // as its schema says
          request,
          claims,
          open: async () => await createControl(defaults, request).openDocument(fileId, { title })
        }, services)
        // Fresh tokens: a page that is in use does not expire.
        return sendJson(reply, { pageToken: pageTokens.make(claims), proxyToken: urls.proxyToken(fileId), ...answer })
      },
      errorHandler: (error, request, reply) =>
        answerError(thrownError(error), request, reply, authorized.get(request)?.claims.fileId)
    }
  }
}

function schemaOf ({ name, summary }: NamedAction): DescribedSchema {
  return {
    summary,
    description: 'A page with an editor sends this request. Its token names the document and the user.',
    headers: {
      type: 'object',
      required: ['x-editor-page-token'],
      properties: { 'x-editor-page-token': { type: 'string', description: 'The `pageToken` of the page\'s control.' } }
    },
    body: bodySchemas[name],
    security: []
  }
}

function answerError (
  error: FastifyError, request: FastifyRequest, reply: FastifyReply, fileId: string | undefined
): FastifyReply {
  closeUnlessComplete(request, reply)
  const status = error instanceof TooLargeError ? 413 : errorStatus(error) // the user can do something about it
  request.log[status >= 500 ? 'error' : 'info'](
    { err: error, ...(fileId !== undefined && { fileId }) },
    'request of an editor page failed'
  )
  return sendError(reply, error, status)
}

/** Enough for text that a user types, and the data of an editor. */
const MAX_BYTES = 64 * 1024

/** Reads a body, a JSON object. Rejects with `InvalidActionError`, or with the reason of the shutdown. */
async function readJson (payload: Readable, { settings, shutdown }: ActionServices): Promise<JsonObject> {
  const bytes = await readBody(payload, {
    limit: MAX_BYTES,
    milliseconds: settings.timeouts.body,
    signal: shutdown.endAll,
    tooLarge: () => new InvalidActionError(`its body has more than ${MAX_BYTES} bytes`),
    cutOff: () => new InvalidActionError('its body was cut off'),
    timeoutError: ms => new InvalidActionError(`its body did not arrive within ${ms} ms`)
  })
  const body = parseJson(bytes.toString())
  if (!isJsonObject(body)) throw new InvalidActionError('its body is not a JSON object')
  return body
}

interface NamedAction extends PageAction {
  readonly name: PageActionName
}

const actionsByName: { readonly [Name in PageActionName]: PageAction<Name> } = {
  ...configActions,
  ...documentActions,
  ...fileActions,
  ...historyActions
}

export const allActions = Object.entries(actionsByName).map(([name, action]) => ({ name, ...action })) as NamedAction[]

/** The actions that the options turn on. */
export function pageActions ({ actions, versions }: Pick<Settings, 'actions' | 'versions'>): NamedAction[] {
  const options = { ...actions, versions }
  return allActions.filter(({ option }) => option === undefined || options[option] !== undefined)
}
