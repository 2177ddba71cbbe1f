import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify'
import { inert } from './responses.js'
import { METHODS } from './route.js'

/** Segments that the router's patterns can be made of: it takes other characters for something else. */
const PLAIN_PATH = /^(?:\/[\w.~-]{2,})+$/

/** From documents of the host's routes: what @fastify/swagger heeds. */
const HIDDEN: FastifySchema & { readonly hide: boolean } = { hide: true }

/**
 * Answers 404 where the handler's path was missed by a slash at its end or by capitals. Otherwise the app's own 404 would do
 * that, and log the query, which holds a signature. Routes of the host go before these.
 */
export function routeNearMisses (scope: FastifyInstance, path: string, options: Pick<RouteOptions, 'constraints'>): void {
  if (!PLAIN_PATH.test(path)) return
  const anyCase = path.split('/').slice(1).map(inAnyCase).join('')
  for (const url of [anyCase, `${anyCase}/`]) {
    for (const method of METHODS) { // one at a time: of several a duplicate would leave the others half made
      try {
        scope.route({ ...options, method, url, exposeHeadRoute: false, schema: HIDDEN, onRequest: answerNotFound, handler: answerNotFound })
      } catch (error) {
        // The app's router does not tell it from the path itself (ignoreTrailingSlash, caseSensitive), or a route of the host is there.
        if ((error as { readonly code?: unknown }).code !== 'FST_ERR_DUPLICATED_ROUTE') throw error
      }
    }
  }
}

/**
 * A segment as two parameters with a pattern each: the router compares routes without their patterns, and a host may well have
 * one parameter there.
 */
function inAnyCase (segment: string, index: number): string {
  return `/:start${index}(^${pattern(segment.slice(0, 1))}):rest${index}(${pattern(segment.slice(1))}$)`
}

function pattern (text: string): string {
  return text.replaceAll('.', '\\.').replace(/[a-z]/gi, letter => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)
}

async function answerNotFound (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply.code(404).headers({ ...inert, 'content-type': 'text/plain' }).send('Not Found')
}
