import type { FastifyRequest } from 'fastify'
import type { HandlerQuery } from './request.schema.js'

export { isHandlerQuery } from './request.compiled.js'
export type { Action, HandlerQuery } from './request.schema.js'

/** A request to the handler whose query is valid. */
export type HandlerRequest = FastifyRequest & { readonly query: HandlerQuery }
