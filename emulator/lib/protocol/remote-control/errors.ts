import type { FastifyReply } from 'fastify'
import { isDocumentServerError } from '../../errors.js'

/** A request that can't be fulfilled. */
export class RemoteError extends Error {
  readonly statusCode: number
  readonly code: string

  constructor (statusCode: number, code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.statusCode = statusCode
    this.code = code
  }
}

export function invalid (message: string): RemoteError {
  return new RemoteError(400, 'INVALID', message)
}

/** Answers with JSON. `code` is the number that an editor shows, if there is one, else a word. */
export function sendError (error: unknown, reply: FastifyReply): FastifyReply {
  if (isDocumentServerError(error)) return reply.code(422).send({ code: error.code, message: error.message })
  const { statusCode = 500, code } = error as { statusCode?: number, code?: string }
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof RemoteError) return reply.code(statusCode).send({ code, message })
  if (statusCode < 500) return reply.code(statusCode).send({ code: 'INVALID', message })
  reply.log.error({ err: error }, 'a request to /emulator/ failed')
  return reply.code(500).send({ code: 'INTERNAL', message })
}
