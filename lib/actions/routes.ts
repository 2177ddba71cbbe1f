import type { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import {
  ForbiddenError, InvalidActionError, TooLargeError, TooManyRequestsError, UnauthorizedError
} from '../errors.js'
import { type CommonRouteOptions, errorStatus, thrownError, untrustedContentHeaders } from '../handler/request.js'
import type { Settings } from '../options.js'
import type { PageClaims } from '../security/signatures.js'
import { BoundedMap } from '../util/bounded-map.js'
import { readBody } from '../util/limits.js'
import { isJsonObject, type JsonObject, parseJson } from '../util/text.js'
import type { ActionServices, PageAction } from './action.js'
import { choiceActions } from './choices.js'
import { configActions } from './config.js'
import { documentActions } from './document.js'
import { historyActions } from './history.js'
import { linkedDataActions } from './linked-data.js'
import { peopleActions } from './people.js'
import { bodies } from './requests.compiled.js'
import { saveAs } from './save-as.js'

/** Codes of this plugin and of Fastify, whose messages are for everybody. */
const OWN_CODE = /^FST_(?:EDITOR|ERR)_/

/** A body that arrives later is late: the request is authorized again. */
const TIMELY_MS = 1000

interface Authorized {
  readonly claims: PageClaims
  /** Milliseconds, by the monotonic clock. */
  readonly at: number
}

/** The scope of the actions' routes: JSON in, JSON out. */
export function actionScope (services: ActionServices, routeOptionsOf: (action: PageAction) => CommonRouteOptions) {
  const { settings, credentials, createControl, pageTokens, urls } = services
  const authorized = new WeakMap<FastifyRequest, Authorized>()
  const spend = createBudget()

  return async function scope (scope: FastifyInstance): Promise<void> {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/json',
      async (_request: FastifyRequest, payload: Readable) => await readJson(payload, services)
    )
    for (const action of pageActions(settings)) scope.route({ ...routeOptionsOf(action), ...routeOf(action) })
  }

  function routeOf (action: PageAction): RouteOptions {
    const { name, cost } = action
    return {
      method: 'POST',
      url: `${settings.path}/actions/${name}`,
      /** Runs before the body is read. */
      async onRequest (request, reply) {
        const claims = await credentials.authorizeAction(request, action)
        const seconds = spend(claims.page, cost)
        if (seconds > 0) {
          reply.header('retry-after', seconds)
          throw new TooManyRequestsError(seconds)
        }
        authorized.set(request, { claims, at: performance.now() })
      },
      async handler (request, reply) {
        const { body } = request
        if (!bodies[name](body)) throw new InvalidActionError(`its body is not that of the action ${name}`)
        const { claims, at } = authorized.get(request)!
        // A page can hold the body back until its user's rights have been taken away.
        if (performance.now() - at > TIMELY_MS) await credentials.authorizeAction(request, action)
        const { fileId, name: title, defaults } = claims
        const answer = await action.run({
          body: body as never, // as its schema says
          request,
          claims,
          open: async () => await createControl(defaults, request).openDocument(fileId, { name: title })
        }, services)
        // Fresh tokens: a page that is in use does not expire.
        return send(reply, { pageToken: pageTokens.make(claims), proxyToken: urls.proxyToken(fileId), ...answer })
      },
      errorHandler: (error, request, reply) =>
        answerError(thrownError(error), request, reply, authorized.get(request)?.claims.fileId)
    }
  }
}

function answerError (
  error: FastifyError, request: FastifyRequest, reply: FastifyReply, fileId: string | undefined
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

/** What a user can type, with room for the data of an editor. */
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

/** What a page can spend at once. */
const BUDGET = 120
const REFILLED_PER_SECOND = 2
const MAX_PAGES = 10_000

interface Balance {
  readonly amount: number
  /** Milliseconds, by the monotonic clock. */
  readonly at: number
}

/** Bounds the work of one page at this instance. Returns the seconds that the page must wait; 0 if it may go on. */
function createBudget (): (page: string, cost: number) => number {
  const balances = new BoundedMap<string, Balance>(MAX_PAGES)

  return function spend (page, cost) {
    const now = performance.now()
    const { amount, at } = balances.get(page) ?? { amount: BUDGET, at: now }
    const available = Math.min(BUDGET, amount + (now - at) / 1000 * REFILLED_PER_SECOND)
    const left = available - cost
    if (left < 0) return Math.ceil(-left / REFILLED_PER_SECOND)
    balances.set(page, { amount: left, at: now })
    return 0
  }
}

export const allActions: readonly PageAction[] = [
  ...configActions,
  ...documentActions,
  saveAs,
  ...choiceActions,
  ...linkedDataActions,
  ...peopleActions,
  ...historyActions
]

/** The actions that the options turn on. */
export function pageActions ({ actions, versions }: Pick<Settings, 'actions' | 'versions'>): PageAction[] {
  const options = { ...actions, versions }
  return allActions.filter(({ option }) => option === undefined || options[option] !== undefined)
}
