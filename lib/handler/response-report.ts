import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ResponseMessage } from '../../types/diagnostics.js'
import { channels, codeOf } from '../diagnostics.js'
import { type HandlerRequest, namedFileId } from './request.js'
import { notesOf } from './request-notes.js'

/** Statuses of responses without a body (RFC 9110). */
const BODILESS: ReadonlySet<number> = new Set([204, 304])

/** Publishes that a request was answered with an error before it has reached its action. */
export function publishFailed (request: FastifyRequest, reply: FastifyReply, { error, status }: { readonly error: Error, readonly status: number }): void {
  const { action } = request.query as { readonly action?: unknown }
  if (action !== 'download' && action !== 'proxy') return
  const channel = channels[action]
  if (!channel.hasSubscribers) return
  channel.publish({ ...subjectOf(request), outcome: 'failed', code: codeOf(error), httpStatus: status, durationMs: reply.elapsedTime })
}

/** Publishes how a request for content that has reached its action ends, when its response is sent or its connection closed. */
export function publishWhenClosed (request: HandlerRequest, reply: FastifyReply): void {
  const { action } = request.query
  if (action !== 'download' && action !== 'proxy') return
  const channel = channels[action]
  if (!channel.hasSubscribers) return
  const { method, raw: { socket, httpVersionMajor } } = request
  const { raw: response } = reply
  const writtenBefore = socket.bytesWritten
  let isSent = false
  response.once('finish', () => { isSent = response.writableEnded }) // one of HTTP/2 emits it, too, if the stream was cancelled
  if (response.closed) publish() // the client has left while a hook of the application was running
  else response.once('close', publish)

  function publish (): void {
    const bytes = isSent ? bodyLength() ?? writtenBytes() : writtenBytes()
    channel.publish({
      ...subjectOf(request),
      ...outcome(),
      ...((isSent || response.headersSent) && { httpStatus: response.statusCode }),
      ...(bytes !== undefined && { bytes }),
      durationMs: reply.elapsedTime
    })
  }

  function outcome (): Pick<ResponseMessage, 'outcome' | 'code'> {
    if (!isSent) return { outcome: 'interrupted' }
    const { error } = notesOf(request)
    return error ? { outcome: 'failed', code: codeOf(error) } : { outcome: 'sent' }
  }

  /** `undefined` if it was not known before the body was sent. */
  function bodyLength (): number | undefined {
    if (method === 'HEAD' || BODILESS.has(response.statusCode)) return 0
    const length = reply.getHeader('content-length')
    return length === undefined ? undefined : Number(length)
  }

  /** The requests of an HTTP/2 connection share it. */
  function writtenBytes (): number | undefined {
    return httpVersionMajor === 1 ? socket.bytesWritten - writtenBefore : undefined
  }
}

function subjectOf (request: FastifyRequest): Pick<ResponseMessage, 'fileId'> {
  const fileId = namedFileId(request)
  return fileId === undefined ? {} : { fileId }
}
