import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { untrustedContentHeaders } from './responses.js'
import { METHODS } from './route.js'
import type { CommonRouteOptions } from './route-options.js'

/** Paths whose segments can be written as router patterns: other characters have a meaning there. */
const PLAIN_PATH = /^(?:\/[\w.~-]{2,})+$/

/**
 * Answers 404 for the handler's path with a trailing slash or in another case. Otherwise the application's 404 handler would
 * answer, and its log line would contain the query with a signature. Routes of the application take precedence.
 */
export function routeNearMisses (scope: FastifyInstance, path: string, options: CommonRouteOptions): void {
  if (!PLAIN_PATH.test(path)) return
  const anyCase = path.split('/').slice(1).map(inAnyCase).join('')
  for (const url of [anyCase, `${anyCase}/`]) {
    for (const method of METHODS) { // one at a time: a duplicate would leave the others half registered
      try {
        scope.route({ ...options, method, url, exposeHeadRoute: false, onRequest: answerNotFound, handler: answerNotFound })
      } catch (error) {
        // The router ignores the difference (ignoreTrailingSlash, caseSensitive), or the application has a route there.
        if ((error as { readonly code?: unknown }).code !== 'FST_ERR_DUPLICATED_ROUTE') throw error
      }
    }
  }
}

/**
 * A segment as two parameters with a pattern each: the router compares routes without their patterns, and the application may
 * have a route with one parameter there.
 */
function inAnyCase (segment: string, index: number): string {
  return `/:start${index}(^${pattern(segment.slice(0, 1))}):rest${index}(${pattern(segment.slice(1))}$)`
}

function pattern (text: string): string {
  return text.replaceAll('.', '\\.').replace(/[a-z]/gi, letter => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)
}

async function answerNotFound (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply.code(404).headers({ ...untrustedContentHeaders, 'content-type': 'text/plain' }).send('Not Found')
}
