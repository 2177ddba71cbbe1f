import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { inert } from './response-headers.js'
import { METHODS } from './route.js'

/** What Fastify's router would take for something else than a letter of the path. */
const PLAIN_PATH = /^[\w./~-]+$/

/**
 * Answers 404 where the handler's path was missed by a slash at its end or by capitals. Otherwise the app's own 404 would do
 * that, and log the query, which holds a signature.
 */
export function routeNearMisses (scope: FastifyInstance, path: string, options: Pick<RouteOptions, 'constraints'>): void {
  const anyCase = PLAIN_PATH.test(path) ? [inAnyCase(path)] : []
  for (const url of [`${path}/`, ...anyCase, ...anyCase.map(path => `${path}/`)]) {
    try {
      scope.route({ ...options, method: METHODS, url, onRequest: answerNotFound, handler: answerNotFound })
    } catch (error) {
      // The app's router does not tell it from the path itself (ignoreTrailingSlash, caseSensitive), or a route of the host is there.
      if ((error as { readonly code?: unknown }).code !== 'FST_ERR_DUPLICATED_ROUTE') throw error
    }
  }
}

/** A pattern of Fastify's router, each segment a parameter. */
function inAnyCase (path: string): string {
  const segments = path.split('/').slice(1)
  return segments.map((segment, index) => `/:segment${index}(^${pattern(segment)}$)`).join('')
}

function pattern (segment: string): string {
  return segment.replaceAll('.', '\\.').replace(/[a-z]/gi, letter => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)
}

async function answerNotFound (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply.code(404).headers({ ...inert, 'content-type': 'text/plain' }).send('Not Found')
}
