import type {
  FastifyContextConfig, FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, RouteOptions
} from 'fastify'
import type { CallbackEvent } from '../../types/events.js'
import type { EditorCaller } from '../../types/fastify.js'
import type { EditorOptions } from '../../types/options.js'
import { MAX_FILE_ID_BYTES } from '../security/names.js'
import { isHandlerQuery } from './request.compiled.js'
import type { HandlerQuery } from './request.schema.js'

export { isHandlerQuery } from './request.compiled.js'
export type { Action, HandlerQuery } from './request.schema.js'

/** A request to the handler whose query is valid. */
export type HandlerRequest = FastifyRequest & { readonly query: HandlerQuery }

/** Takes the parameters that the application's parser has made numbers or the like as they stand in the URL. */
export function restoreText (request: FastifyRequest): void {
  const query = request.query as Record<string, unknown>
  const names = Object.keys(query).filter(name => ['number', 'bigint', 'boolean'].includes(typeof query[name]))
  if (names.length === 0) return
  const written = new URLSearchParams(request.url.split('?')[1])
  for (const name of names) query[name] = written.get(name)
}

/** The `fileId` of a request whose query may be invalid, for logs and messages. Cut to the maximum length. */
export function namedFileId ({ query }: FastifyRequest): string | undefined {
  const { fileId } = query as { readonly fileId?: unknown }
  return typeof fileId === 'string' ? fileId.slice(0, MAX_FILE_ID_BYTES) : undefined
}

/** The doctor's probe that a request is for. */
export interface Probe {
  readonly id: string
  readonly action: 'callback' | 'download'
}

/** How the ID of a probe begins, which stands in the place of a fileId. */
export const PROBE_PREFIX = 'fastify-onlyoffice-probe-'
const PROBE_METHODS = { callback: 'POST', download: 'GET' } as const

/** The probe that a request is for, by its form. Only its signature proves that it is one. */
export function probeOf (request: FastifyRequest): Probe | undefined {
  const { method, query } = request
  const id = namedFileId(request)
  if (!id?.startsWith(PROBE_PREFIX) || !isHandlerQuery(query)) return undefined
  const { action } = query
  return (action === 'callback' || action === 'download') && method === PROBE_METHODS[action]
    ? { id, action }
    : undefined
}

/** Notes of the handler's parts about one request while it is handled. Each part reads and writes only its own. */
interface RequestNotes {
  /** `null` if the request is not for a probe. */
  probe?: Probe | null
  /**
   * The query of a callback whose signature is valid. A hook of the application may change the query of the request
   * afterwards.
   */
  validQuery?: HandlerQuery
  /** Whether the callback has all required credentials. */
  isProvenCallback?: boolean
  /** The request has passed the application's hooks, or is a probe that the handler answers. */
  hasReachedAction?: boolean
  /** Errors meanwhile come from the plugin or the connection, not from a hook. */
  isReadingBody?: boolean
  error?: FastifyError
  /** The callback, once it is verified and authorized. */
  callback?: CallbackEvent
}

const NOTES = Symbol('fastify-onlyoffice notes')

type NotedRequest = FastifyRequest & { [NOTES]: RequestNotes | null }

/** Gives every request of the scope this property from the start: a WeakMap for each note costs much more. */
export function addRequestNotes (scope: FastifyInstance): void {
  scope.decorateRequest(NOTES, null)
}

export function notesOf (request: FastifyRequest): RequestNotes {
  const noted = request as NotedRequest
  const notes = noted[NOTES] ?? {}
  noted[NOTES] = notes
  return notes
}

/** Options of every route of the plugin. */
export interface CommonRouteOptions extends Pick<RouteOptions, 'constraints' | 'handlerTimeout'> {
  readonly config: FastifyContextConfig
  readonly schema: FastifySchema
}

/** Describes a route in the form that @fastify/swagger calls. */
export type SwaggerTransform = (
  route: { readonly url: string, readonly openapiObject?: object }
) => { readonly url: string, readonly schema: object }

/** Without a `transform` the route is hidden from API documentation. */
export type RouteOptionsOf = (caller: EditorCaller, transform?: SwaggerTransform) => CommonRouteOptions

/** Hides a route: @fastify/swagger reads the property. */
const HIDDEN: FastifySchema & { readonly hide: boolean } = { hide: true }

/** A route cannot switch off the `handlerTimeout` of the application: 24 days, the longest time of a timer. */
const NEVER_MS = 2 ** 31 - 1

/** Gives each route the application's `config` and `config.editor.caller`, which tells hooks who is calling. */
export function routeOptionsWith (
  { constraints, config }: Pick<EditorOptions, 'constraints' | 'config'>,
  { handlerTimeout = 0 }: { readonly handlerTimeout?: number }
): RouteOptionsOf {
  return (caller, transform) => ({
    ...(constraints && { constraints }),
    // It would cut downloads, and answer a save that is being stored. Everything has `timeouts` of its own.
    ...(handlerTimeout > 0 && { handlerTimeout: NEVER_MS }),
    schema: HIDDEN,
    // Without a transform of its own, a route would get the application's, which may handle only its own kind of
    // schema.
    config: { swaggerTransform: transform ?? false, ...config, editor: { caller } } as FastifyContextConfig
  })
}

/** For bytes that users or other servers supplied: the browser must not execute them in this origin. */
export const untrustedContentHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-store'
} as const

/**
 * The status that answers an error. An error of another library may have the `statusCode` of another service, even of a
 * success.
 */
export function errorStatus ({ statusCode }: { readonly statusCode?: unknown }): number {
  return typeof statusCode === 'number' && Number.isInteger(statusCode) && statusCode >= 400 && statusCode <= 599
    ? statusCode
    : 500
}

/** The error that was thrown: application code may throw `null` or `undefined`. */
export function thrownError (thrown: FastifyError | null): FastifyError {
  return thrown ?? Object.assign(new Error('null or undefined was thrown'), { code: '', name: 'Error' })
}

/**
 * Answers a callback. With 0 the document server deletes its copy of a save, with 1 it keeps it.
 * Source: docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
 */
export function answerCallback (reply: FastifyReply, error: 0 | 1): FastifyReply {
  if (reply.sent) return reply // the application has sent one: Fastify would log the URL, with its signature
  // Sent as bytes: Fastify would add a charset to the content type of a string.
  return reply.code(200).header('content-type', 'application/json').send(Buffer.from(`{"error":${error}}`))
}

/** Codes of our own errors, whose messages contain no secrets. */
export const OWN_CODE = /^FST_EDITOR_/
/** Codes of Fastify itself, such as for a header that it cannot parse. Plugins have other codes. */
const FASTIFY_CODE = /^FST_ERR_/

/** Whether an application hook, not the plugin, certainly ended the request. */
export function isEndedByHook ({ hasReachedAction, isReadingBody, error }: RequestNotes): boolean {
  if (hasReachedAction) return false
  return !error || !(isReadingBody || OWN_CODE.test(error.code) || FASTIFY_CODE.test(error.code))
}
