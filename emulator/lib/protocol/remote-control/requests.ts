import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDocumentServerError } from '../../errors.js'

const DEFAULT_MS = 30_000
const MAX_MS = 600_000

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

/** The fields of a request's body, for its validation. */
export function withBody (properties: object, ...required: readonly string[]) {
  return { schema: { body: { type: 'object', additionalProperties: false, properties, required } } }
}

/**
 * Runs a task for at most the query's `timeout` in milliseconds. The signal is aborted at the timeout and when the
 * client disconnects; a task that ignores it goes on.
 */
export async function withTimeout<Result> (
  request: FastifyRequest,
  reply: FastifyReply,
  task: (signal: AbortSignal) => Promise<Result>
): Promise<Result> {
  const { timeout = String(DEFAULT_MS) } = request.query as { timeout?: string }
  const milliseconds = Number(timeout)
  if (!/^\d+$/.test(timeout) || milliseconds > MAX_MS) {
    throw invalid(`timeout must be a number of milliseconds up to ${MAX_MS}`)
  }

  const end = new AbortController()
  const abort = () => end.abort(new RemoteError(504, 'TIMEOUT', `Timed out after ${milliseconds} ms`))
  const timer = setTimeout(abort, milliseconds)
  reply.raw.once('close', abort)
  try {
    const aborted = new Promise<never>((resolve, reject) =>
      end.signal.addEventListener('abort', () => reject(end.signal.reason), { once: true })
    )
    return await Promise.race([task(end.signal), aborted])
  } finally {
    clearTimeout(timer)
    reply.raw.off('close', abort)
  }
}
