import type { FastifyReply } from 'fastify'
import { fragmentType } from '../control/page.js'
import { discard } from '../util/streams.js'
import { parseHttpUrl } from '../util/url.js'
import type { Parts } from '../parts.js'
import { type HandlerRequest, untrustedContentHeaders } from './request.js'

/** Statuses of responses without a body (RFC 9110). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/** Fetches a URL and streams it back as a same-origin response. */
export function createProxyHandler ({ credentials, outbound }: Parts) {
  return async function handleProxy (request: HandlerRequest, reply: FastifyReply): Promise<FastifyReply> {
    const url = parseHttpUrl(request.query.url)
    await credentials.authorizeProxy(request, url)
    const upstream = await outbound('proxy', url, { controller: closingOf(reply) })

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
    return reply.send(upstream.body)
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
function closingOf ({ raw }: FastifyReply): AbortController {
  const controller = new AbortController()
  const abort = () => controller.abort(new Error('the client has disconnected'))
  if (raw.closed) abort()
  else raw.once('close', abort)
  return controller
}

/** A header value that can be forwarded: not blank, and only characters that are valid in a header. */
function forwardable (value: string | undefined): string | undefined {
  return value !== undefined && value.trim() !== '' && /^[\t\x20-\x7e\x80-\xff]+$/.test(value) ? value : undefined
}
