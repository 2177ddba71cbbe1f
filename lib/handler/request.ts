import type {
  FastifyContextConfig, FastifyError, FastifyInstance, FastifyRequest, FastifySchema, RouteOptions
} from 'fastify'
import type { CallbackEvent } from '../../types/events.js'
import type { EditorCaller } from '../../types/fastify.js'
import type { EditorOptions } from '../../types/options.js'
import { MAX_FILE_ID_BYTES } from '../security/names.js'
import type { HandlerQuery } from './request.schema.js'

export { isHandlerQuery } from './request.compiled.js'
export type { Action, HandlerQuery } from './request.schema.js'

/** A request to the handler whose query is valid. */
export type HandlerRequest = FastifyRequest & { readonly query: HandlerQuery }

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

/** Notes of the handler's parts about one request while it is handled. Each part reads and writes only its own. */
export interface RequestNotes {
  /** `null` if the request is not for a probe. */
  probe?: Probe | null
  /**
   * The query of a callback whose signature is valid. A hook of the application may change the query of the request
   * afterwards.
   */
  validQuery?: HandlerQuery
  /** Whether the callback has all required credentials, or `authorize` has allowed it. */
  isProvenCallback?: boolean
  /** The file for which `authorize` has allowed a callback with an unsigned URL. */
  unsignedAllowedFor?: string
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
export interface CommonRouteOptions extends Pick<RouteOptions, 'constraints'> {
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

/** Gives each route the application's `config` and `config.editor.caller`, which tells hooks who is calling. */
export function routeOptionsWith (
  { constraints, config }: Pick<EditorOptions, 'constraints' | 'config'>
): RouteOptionsOf {
  return (caller, transform) => ({
    ...(constraints && { constraints }),
    schema: HIDDEN,
    // Without a transform of its own, a route would get the application's, which may handle only its own kind of
    // schema.
    config: { swaggerTransform: transform ?? false, ...config, editor: { caller } } as FastifyContextConfig
  })
}
