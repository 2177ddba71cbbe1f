import type { FastifyReply } from 'fastify'
import { fragmentType } from '../fragment-type.js'
import { arrivedBytes, discard } from '../util/streams.js'
import { parseHttpUrl } from '../util/url.js'
import { type HandlerRequest, untrustedContentHeaders } from './request.js'
import type { HandlerServices } from './services.js'

/** Statuses of responses without a body (RFC 9110). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/** Fetches a URL and streams it back as a same-origin response. */
export function createProxyHandler ({ credentials, outbound }: HandlerServices) {
  return async function handleProxy (request: HandlerRequest, reply: FastifyReply): Promise<FastifyReply> {
    const url = parseHttpUrl(request.query.url)
    await credentials.authorizeProxy(request, url)
    const response = closingOf(reply)
    const upstream = await outbound('proxy', url, { controller: response.closing })
    upstream.body.once('close', response.ignore)

    reply.code(upstream.status).headers({
      'content-type': typeOf(forwardable(upstream.header('content-type'))),
      ...untrustedContentHeaders
    })
    const disposition = forwardable(upstream.header('content-disposition'))
    if (disposition !== undefined) reply.header('content-disposition', disposition)
    const bodiless = BODILESS.has(upstream.status)
    if (upstream.length !== undefined && !bodiless) reply.header('content-length', upstream.length)
    if (bodiless || request.method === 'HEAD') {
      discard(upstream.body)
      return reply.send()
    }
    // Sending bytes costs much less than a stream, but Fastify would add a length that the upstream did not send.
    return reply.send((upstream.length === undefined ? undefined : arrivedBytes(upstream.body)) ?? upstream.body)
  }
}

/**
 * The parts of a multipart body have their own headers, which browsers obey for `multipart/x-mixed-replace`. Fragments
 * of editors come from the application only.
 */
function typeOf (type = 'application/octet-stream'): string {
  return /multipart\//i.test(type) || type.toLowerCase().includes(fragmentType) ? 'application/octet-stream' : type
}

/**
 * A controller that is aborted when the response closes: the client has left, or a hook of the application has sent
 * something else.
 */
function closingOf (reply: FastifyReply) {
  const controller = new AbortController()
  const abort = () => controller.abort(new Error('the client has disconnected'))
  if (reply.raw.closed) abort()
  else reply.raw.once('close', abort)
  return { closing: controller, ignore: () => { reply.raw.off('close', abort) } }
}

/** A header value that can be forwarded: not blank, and only characters that are valid in a header. */
function forwardable (value: string | undefined): string | undefined {
  return value !== undefined && value.trim() !== '' && /^[\t\x20-\x7e\x80-\xff]+$/.test(value) ? value : undefined
}
