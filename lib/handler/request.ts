import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import type { CallbackEvent } from '../../types/events.js'
import { MAX_FILE_ID_BYTES } from '../security/file-id.js'
import type { HandlerQuery } from './request.schema.js'

export { isHandlerQuery } from './request.compiled.js'
export type { Action, HandlerQuery } from './request.schema.js'

/** A request to the handler whose query is valid. */
export type HandlerRequest = FastifyRequest & { readonly query: HandlerQuery }

/**
 * The `fileId` of a request whose query may be invalid, for the log and for messages: at most as long as one can be.
 */
export function namedFileId ({ query }: FastifyRequest): string | undefined {
  const { fileId } = query as { readonly fileId?: unknown }
  return typeof fileId === 'string' ? fileId.slice(0, MAX_FILE_ID_BYTES) : undefined
}

/** Which probe of the doctor a request is for. */
export interface Probe {
  readonly id: string
  readonly action: 'callback' | 'download'
}

/**
 * What the handler's parts note about one request while it is handled. Each part reads and writes its own notes only.
 */
export interface RequestNotes {
  /** `null`: it is no request for a probe. */
  probe?: Probe | null
  /**
   * The query of a callback whose signature is valid. A hook of the application may change the query of the request
   * afterwards.
   */
  validQuery?: HandlerQuery
  /** The callback has all credentials that are required, or `authorize` has allowed it. */
  isProvenCallback?: boolean
  /** The file for which `authorize` has allowed a callback that is not signed. */
  unsignedAllowedFor?: string
  /** The request has passed the application's hooks. For a probe: it is answered by the handler. */
  hasReachedAction?: boolean
  /** What is thrown meanwhile is thrown by the plugin, or by the connection. */
  isReadingBody?: boolean
  error?: FastifyError
  /** The callback, once it is verified and authorized. */
  callback?: CallbackEvent
}

const NOTES = Symbol('fastify-onlyoffice notes')

type NotedRequest = FastifyRequest & { [NOTES]: RequestNotes | null }

/** A property that every request of the scope has from the start: a WeakMap for each note costs much more. */
export function addRequestNotes (scope: FastifyInstance): void {
  scope.decorateRequest(NOTES, null)
}

export function notesOf (request: FastifyRequest): RequestNotes {
  const noted = request as NotedRequest
  const notes = noted[NOTES] ?? {}
  noted[NOTES] = notes
  return notes
}
