import type { FastifyRequest } from 'fastify'
import { MAX_FILE_ID_BYTES } from '../security/file-id.js'
import type { HandlerQuery } from './request.schema.js'

export { isHandlerQuery } from './request.compiled.js'
export type { Action, HandlerQuery } from './request.schema.js'

/** A request to the handler whose query is valid. */
export type HandlerRequest = FastifyRequest & { readonly query: HandlerQuery }

/** The `fileId` of a request whose query may be invalid, for the log and for messages: at most as long as one can be. */
export function namedFileId ({ query }: FastifyRequest): string | undefined {
  const { fileId } = query as { readonly fileId?: unknown }
  return typeof fileId === 'string' ? fileId.slice(0, MAX_FILE_ID_BYTES) : undefined
}
