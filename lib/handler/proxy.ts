import type { FastifyReply } from 'fastify'
import type { Outbound } from '../outbound/outbound.js'
import { discard } from '../readable.js'
import { parseHttpUrl } from '../security/http-url.js'
import type { Credentials } from './credentials.js'
import { inert } from './responses.js'
import type { HandlerRequest } from './route.js'

interface Dependencies {
  readonly credentials: Credentials
  readonly outbound: Outbound
}

/** These statuses have no body (RFC 9110). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/** Streams a URL back as an answer of this origin. */
export function createProxyHandler ({ credentials, outbound }: Dependencies) {
  return async function handleProxy (request: HandlerRequest, reply: FastifyReply): Promise<FastifyReply> {
    const url = parseHttpUrl(request.query.url)
    await credentials.checkProxy(request, url)
    const upstream = await outbound('proxy', url, { signal: clientLeft(reply) })

    reply.code(upstream.status).headers({
      ...inert,
      'content-type': typeOf(headerText(upstream.header('content-type')))
    })
    const disposition = headerText(upstream.header('content-disposition'))
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

/** The parts of a multipart answer have headers of their own, which a browser may heed (`multipart/x-mixed-replace`). */
function typeOf (type = 'application/octet-stream'): string {
  return /multipart\//i.test(type) ? 'application/octet-stream' : type
}

function clientLeft (reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const leave = () => controller.abort(new Error('the client left'))
  if (reply.raw.closed) leave()
  else reply.raw.once('close', leave)
  return controller.signal
}

/** A header's value when it can be sent on: not blank, and nothing in it that would end it. */
function headerText (value: string | undefined): string | undefined {
  return value !== undefined && value.trim() !== '' && /^[\t\x20-\x7e\x80-\xff]+$/.test(value) ? value : undefined
}
