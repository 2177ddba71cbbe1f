import { isUtf8 } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type {
  FastifyContextConfig, FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchema,
  FastifySchemaCompiler, HTTPMethods, RouteOptions
} from 'fastify'
import type { CallbackEvent } from '../../types/events.js'
import type { EditorCaller } from '../../types/fastify.js'
import type { FastifyOnlyofficeOptions } from '../../types/options.js'
import { ForbiddenError, InvalidCallbackError, TooLargeError, UnauthorizedError } from '../errors.js'
import { MAX_FILE_ID_BYTES } from '../security/names.js'
import { type Limits, readBody } from '../util/limits.js'
import { parseJson } from '../util/text.js'
import type { HandlerQuery } from './request.schema.js'

export { isHandlerQuery } from './request.compiled.js'
export type { Action, HandlerQuery } from './request.schema.js'

/**
 * All methods that Fastify supports by default: a request with a method that has no route would be logged with its
 * query.
 */
export const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/** A request to the handler whose query is valid. */
export type HandlerRequest = FastifyRequest & { readonly query: HandlerQuery }

/** Restores parameters that the application's parser has converted to numbers or the like, as they stand in the URL. */
export function restoreText (request: FastifyRequest): void {
  const query = request.query as Record<string, unknown>
  for (const [name, value] of new URLSearchParams(request.url.split('?')[1])) {
    if (['number', 'bigint', 'boolean'].includes(typeof query[name])) query[name] = value
  }
}

const gunzipAsync = promisify(gunzip)

interface BodyLimits extends Pick<Limits, 'milliseconds' | 'signal'> {
  /** Bytes. */
  readonly limit: number
}

/**
 * Reads the body of a callback as JSON, whatever its content type. Rejects with `TooLargeError` or
 * `InvalidCallbackError`, or with the reason of the signal.
 */
export async function readCallback (
  { headers }: FastifyRequest, payload: Readable, { limit, ...limits }: BodyLimits
): Promise<unknown> {
  const tooLarge = () => new TooLargeError(limit)
  if (Number(headers['content-length']) > limit) throw tooLarge()
  const body = await readBody(payload, {
    ...limits,
    limit,
    tooLarge,
    cutOff: () => new InvalidCallbackError('its body was truncated'),
    timeoutError: ms => new InvalidCallbackError(`its body did not arrive within ${ms} ms`)
  })
  return parseCallbackBody(headers['content-encoding'] === 'gzip' ? await unzipped(body, limit) : body)
}

/** A proxy may compress requests. */
async function unzipped (body: Buffer, limit: number): Promise<Buffer> {
  try {
    return await gunzipAsync(body, { maxOutputLength: limit })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new TooLargeError(limit)
    throw new InvalidCallbackError('its body is not compressed as its Content-Encoding says', { cause })
  }
}

/** Callbacks are flat. Deep nesting would only cost time wherever the value is traversed. */
const MAX_DEPTH = 100

/** Throws `InvalidCallbackError`. */
export function parseCallbackBody (bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new InvalidCallbackError('its body is not UTF-8')
  const text = bytes.toString().replace(/^\ufeff/, '')
  const body = parseJson(text)
  if (body === undefined) throw new InvalidCallbackError('its body is not JSON')
  if (depthOf(text) > MAX_DEPTH) throw new InvalidCallbackError(`its body is nested deeper than ${MAX_DEPTH} levels`)
  return body
}

/** How deep JSON is nested. Runs in one pass, so that no input can make it slow. */
function depthOf (json: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const character = json[i]
    if (inString) {
      if (character === '\\') i++
      else if (character === '"') inString = false
    } else if (character === '"') {
      inString = true
    } else if (character === '[' || character === '{') {
      deepest = Math.max(deepest, ++depth)
    } else if (character === ']' || character === '}') {
      depth--
    }
  }
  return deepest
}

/** The `fileId` of a request whose query may be invalid, for logs and messages. Cut to the maximum length. */
export function namedFileId ({ query }: FastifyRequest): string | undefined {
  const { fileId } = query as { readonly fileId?: unknown }
  return typeof fileId === 'string' ? fileId.slice(0, MAX_FILE_ID_BYTES) : undefined
}

/** Notes of the handler's parts about one request while it is handled. Each part reads and writes only its own. */
interface RequestNotes {
  /** Whether the callback has all required credentials. */
  isProvenCallback?: boolean
  /** The request has passed the application's hooks. */
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
  readonly validatorCompiler: FastifySchemaCompiler<unknown>
}

/** A route's schema, and what @fastify/swagger reads of it. */
export interface DescribedSchema extends Pick<FastifySchema, 'body' | 'querystring' | 'headers'> {
  readonly summary: string
  readonly description: string
  /** Absent: the requirements of the application. */
  readonly security?: []
}

/** Without `schema` the route is hidden from API documentation. */
export type RouteOptionsOf = (caller: EditorCaller, schema?: DescribedSchema) => CommonRouteOptions

/** A route cannot switch off the `handlerTimeout` of the application: 24 days, the longest time of a timer. */
const NEVER_MS = 2 ** 31 - 1

/** Gives each route the application's `config` and `config.onlyoffice.caller`, by which hooks recognize the caller. */
export function routeOptionsWith (
  { constraints, config }: Pick<FastifyOnlyofficeOptions, 'constraints' | 'config'>,
  { handlerTimeout = 0 }: { readonly handlerTimeout?: number }
): RouteOptionsOf {
  return (caller, schema) => ({
    ...(constraints && { constraints }),
    // It would cut off downloads, and answer while a save is being stored. The plugin's own `timeouts` limit
    // everything.
    ...(handlerTimeout > 0 && { handlerTimeout: NEVER_MS }),
    schema: { tags: ['editor'], ...schema, hide: !schema } as FastifySchema,
    // The application's validator has no effect here. A part of a request that a route does not check here is checked
    // once its sender is known, or becomes an answer of its own: there the schema is for API documentation.
    validatorCompiler: () => () => true,
    // The application's transform may handle only its own kind of schema.
    config: { swaggerTransform: false, ...config, onlyoffice: { caller } } as FastifyContextConfig
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

/** Codes of our own errors, whose messages contain no secrets. */
export const OWN_CODE = /^FST_EDITOR_/
/** Codes of Fastify itself, such as for a header that it cannot parse. Plugins have other codes. */
const FASTIFY_CODE = /^FST_ERR_/

function isOwnOrFastifys ({ code }: FastifyError): boolean {
  return OWN_CODE.test(code) || FASTIFY_CODE.test(code)
}

/** Sends JSON, as bytes: Fastify would look for a serializer of the application. */
export function sendJson (reply: FastifyReply, content: object): FastifyReply {
  return reply.headers({ ...untrustedContentHeaders, 'content-type': 'application/json; charset=utf-8' })
    .send(Buffer.from(JSON.stringify(content)))
}

/** Answers an error with the body that Fastify itself gives to errors. */
export function sendError (reply: FastifyReply, error: FastifyError, statusCode = errorStatus(error)): FastifyReply {
  const code = isOwnOrFastifys(error) ? error.code : 'FST_EDITOR_ACTION_FAILED'
  return sendJson(reply.code(statusCode), {
    statusCode,
    code,
    error: STATUS_CODES[statusCode] ?? 'Error',
    message: publicMessage(error, code, statusCode)
  })
}

/**
 * The error as anybody may read it. Only the log says why something failed, the messages of hooks and storages, and why
 * credentials are invalid.
 */
function publicMessage (error: FastifyError, code: string, statusCode: number): string {
  if (statusCode >= 500) return 'The application failed. Its log says why.'
  if (code === 'FST_EDITOR_ACTION_FAILED') return 'The application refused.'
  if (error instanceof UnauthorizedError) return 'Not authorized'
  return error instanceof ForbiddenError ? 'Forbidden' : error.message
}

/** The connection cannot be used again: the rest of the body is not read. */
export function closeUnlessComplete ({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (!raw.complete && raw.httpVersionMajor === 1) reply.header('connection', 'close')
}

/** The error that was thrown: application code may throw `null` or `undefined`. */
export function thrownError (thrown: FastifyError | null): FastifyError {
  return thrown ?? Object.assign(new Error('null or undefined was thrown'), { code: '', name: 'Error' })
}

/**
 * Answers a callback. With 0 the document server deletes its copy of a save, with 1 it keeps it.
 * Source: emulator/docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
 */
export function answerCallback (reply: FastifyReply, error: 0 | 1): FastifyReply {
  if (reply.sent) return reply // the application has sent one: Fastify would log the URL, with its signature
  // Sent as bytes: Fastify would add a charset to the content type of a string.
  return reply.code(200).header('content-type', 'application/json').send(Buffer.from(`{"error":${error}}`))
}

/** Whether an application hook, not the plugin, certainly ended the request. */
export function isEndedByHook ({ hasReachedAction, isReadingBody, error }: RequestNotes): boolean {
  if (hasReachedAction) return false
  return !error || !(isReadingBody || isOwnOrFastifys(error))
}
