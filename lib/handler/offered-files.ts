import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { randomBytes } from 'node:crypto'
import type { ScriptHost } from '../document-server/builder.js'
import { untrustedContentHeaders } from './responses.js'
import { METHODS } from './route.js'

interface Options {
  /** Path of the route, below the prefix of its scope. */
  readonly path: string
  /** URL of the route, as the document server reaches it. */
  readonly url: string
}

/**
 * Serves the scripts of document builds to the document server, from memory. The ID in the query is all that a request needs: it
 * cannot be guessed, is not logged, and is only valid while the build runs.
 */
export function createScriptHost ({ path, url }: Options): ScriptHost & { readonly route: RouteOptions } {
  const scripts = new Map<string, string>()
  return {
    offer (script) {
      const id = randomBytes(32).toString('base64url')
      scripts.set(id, script)
      return { url: `${url}?id=${id}`, withdraw: () => { scripts.delete(id) } }
    },
    route: {
      method: METHODS,
      url: path,
      // Before a body is read: only GET and HEAD have an answer.
      async onRequest (request, reply) {
        if (request.method === 'GET' || request.method === 'HEAD') return
        if (request.raw.httpVersionMajor === 1) reply.header('connection', 'close') // the body is not read
        return await reply.code(405).headers({ ...untrustedContentHeaders, allow: 'GET, HEAD' }).send()
      },
      handler (request: FastifyRequest, reply: FastifyReply) {
        const { id } = request.query as { id?: unknown }
        const script = typeof id === 'string' ? scripts.get(id) : undefined
        reply.headers({ ...untrustedContentHeaders, 'content-type': 'text/plain; charset=utf-8' })
        return script === undefined ? reply.code(404).send('No such script') : reply.send(script)
      }
    }
  }
}
