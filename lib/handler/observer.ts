import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { channels, codeOf } from '../diagnostics.js'
import type { Services } from '../services.js'
import type { CallbackOutcome, DownloadEvent, Openings, Outcome } from '../sessions/openings.js'
import { createLimiter } from '../util/limits.js'
import { guide } from '../util/text.js'
import {
  errorStatus, type HandlerQuery, isEndedByHook, isHandlerQuery, namedFileId, notesOf, OWN_CODE
} from './request.js'

/** Codes of refusals for lack of credentials. */
const STRANGER_CODES: ReadonlySet<string> = new Set(['FST_EDITOR_UNAUTHORIZED', 'FST_EDITOR_FORBIDDEN'])

/** Records for the doctor how requests of the document server end, and warns if a hook of the application ends them. */
export function createObserver ({ settings, urls }: Services, openings: Openings) {
  const take = createLimiter({ amount: 1, interval: 10 * 60_000 })

  return {
    /** The request has passed the application's hooks and reaches its action. */
    reached (request: FastifyRequest, reply: FastifyReply): void {
      notesOf(request).hasReachedAction = true
      whenClosed(reply, isSent => { if (!isSent) note(request, { result: 'interrupted' }) })
    },
    failed: (request: FastifyRequest, error: FastifyError) => { notesOf(request).error = error },
    /** The response was sent. */
    ended: (request: FastifyRequest, { raw }: FastifyReply) => note(request, outcomeOf(request, raw))
  }

  function note (request: FastifyRequest, outcome: Outcome): void {
    const { query } = request
    if (!isHandlerQuery(query) || !query.fileId) return
    const event = eventOf(request, query, outcome)
    if (!event) return
    if (isOfDocumentServer(query, outcome)) {
      openings.requested(query.fileId, event)
      if (outcome.result === 'answered-by-application' && isLost(event.kind, outcome.httpStatus)) {
        warn(request, event.kind, outcome.httpStatus)
      }
    } else if (outcome.result === 'refused') {
      openings.strangerRefused(query.fileId, outcome.code)
    }
  }

  /**
   * Without signed URLs anybody can send such a request. Then a request counts if it is not refused and a page shows
   * its file.
   */
  function isOfDocumentServer ({ action, fileId = '', ...query }: HandlerQuery, outcome: Outcome): boolean {
    if (action !== 'download' && action !== 'callback') return false
    if (!settings.signedUrls) {
      return openings.isKnown(fileId) && !(outcome.result === 'refused' && STRANGER_CODES.has(outcome.code))
    }
    // A request with an invalid signature is never accepted.
    if (outcome.result === 'accepted') return query.signature !== undefined
    const signature = urls.checkSignature(action, fileId, query)
    return signature === 'valid' || signature === 'expired'
  }

  /**
   * Warns that a hook of the application blocks requests of the document server: once per action and status in ten
   * minutes.
   */
  function warn (request: FastifyRequest, action: 'callback' | 'download', httpStatus: number): void {
    const { origin, 'sec-fetch-site': site } = request.headers
    if (origin !== undefined || site !== undefined) return // only browsers send these headers
    if (take(`${action} ${httpStatus}`).wait > 0) return
    const { error } = notesOf(request)
    request.log.warn({ fileId: namedFileId(request), httpStatus, ...(error && { err: error }) }, `a hook of the application ended a ${action} of the document server with status ${httpStatus}, before the plugin: ${consequences[action]}. ${remedyOf(httpStatus)} See ${LOGIN_GUIDE}`)
  }

  function outcomeOf (request: FastifyRequest, { headersSent, statusCode }: FastifyReply['raw']): Outcome {
    const notes = notesOf(request)
    const { error } = notes
    if (!headersSent) return { result: 'interrupted' }
    if (isEndedByHook(notes)) {
      return { result: 'answered-by-application', httpStatus: error ? errorStatus(error) : statusCode }
    }
    if (!error) return { result: 'accepted' }
    return {
      result: 'refused',
      code: String(error.code ?? error.name),
      ...(OWN_CODE.test(error.code) && { reason: error.message })
    }
  }
}

/**
 * A hook may answer a download instead of the plugin, for example from a cache. But a callback that the plugin does not
 * see is lost, whatever the status.
 */
function isLost (kind: 'callback' | 'download', httpStatus: number): boolean {
  return kind === 'callback' || (httpStatus >= 300 && httpStatus !== 304)
}

function eventOf (
  { method, body }: FastifyRequest, { action, version }: HandlerQuery, outcome: Outcome
): DownloadEvent | CallbackOutcome | undefined {
  if (action === 'download' && method === 'GET' && version === undefined) return { kind: 'download', ...outcome }
  if (action !== 'callback' || method !== 'POST') return undefined
  const status = (body as { readonly status?: unknown } | null | undefined)?.status
  return { kind: 'callback', ...(typeof status === 'number' && Number.isInteger(status) && { status }), ...outcome }
}

/** Statuses of responses without a body (RFC 9110). */
const BODILESS: ReadonlySet<number> = new Set([204, 304])

/** Publishes how a request for content ends, when its response is sent or its connection closes. */
export function publishWhenClosed (request: FastifyRequest, reply: FastifyReply): void {
  const channel = channelOf(request)
  if (!channel) return
  const { method, raw: { socket, httpVersionMajor } } = request
  const { raw: response } = reply
  const writtenBefore = socket.bytesWritten
  whenClosed(reply, isSent => {
    const { error } = notesOf(request)
    const fileId = namedFileId(request)
    const bytes = isSent ? bodyLength() ?? writtenBytes() : writtenBytes()
    channel.publish({
      ...(fileId !== undefined && { fileId }),
      outcome: isSent ? error ? 'failed' : 'sent' : 'interrupted',
      ...(isSent && error && { code: codeOf(error) }),
      ...((isSent || response.headersSent) && { httpStatus: response.statusCode }),
      ...(bytes !== undefined && { bytes }),
      durationMs: reply.elapsedTime
    })
  })

  /** `undefined` if the length was unknown before the body was sent. */
  function bodyLength (): number | undefined {
    if (method === 'HEAD' || BODILESS.has(response.statusCode)) return 0
    const length = reply.getHeader('content-length')
    return length === undefined ? undefined : Number(length)
  }

  /** `undefined` for HTTP/2, whose requests share a connection. */
  function writtenBytes (): number | undefined {
    return httpVersionMajor === 1 ? socket.bytesWritten - writtenBefore : undefined
  }
}

/** Calls back when a response is sent or its connection closes. */
function whenClosed ({ raw }: FastifyReply, call: (isSent: boolean) => void): void {
  let isSent = false
  raw.once('finish', () => { isSent = raw.writableEnded }) // HTTP/2 emits it even if the stream was cancelled
  if (raw.closed) call(false) // the client has left while a hook of the application was running
  else raw.once('close', () => call(isSent))
}

/** The channel of a request for content, if somebody listens. */
function channelOf ({ query }: FastifyRequest) {
  const { action } = query as { readonly action?: unknown }
  const channel = action === 'download' || action === 'proxy' ? channels[action] : undefined
  return channel?.hasSubscribers ? channel : undefined
}

/** How an application lets the document server pass its login hooks. */
export const LOGIN_GUIDE = guide('hooks.md#logins')

const consequences = { callback: 'changes are not saved', download: 'documents cannot be opened' }

function remedyOf (httpStatus: number): string {
  if (httpStatus === 429) {
    return 'Give the document server a higher limit, or none: all its requests come from one IP address.'
  }
  if (httpStatus === 503) return 'It tries again when the load falls.'
  return 'It has no login: let requests pass whose routeOptions.config.onlyoffice.caller is \'document-server\'. The plugin verifies them.'
}
