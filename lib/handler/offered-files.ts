import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { randomBytes } from 'node:crypto'
import type { FileOffers } from '../document-server/from-file.js'
import { untrustedContentHeaders } from './request.js'
import { METHODS } from './route.js'

interface Options {
  /** Path of the route, below the prefix of its scope. */
  readonly path: string
  /** URL of the route, as the document server reaches it. */
  readonly url: string
}

/**
 * Serves files for a conversion or a document build to the document server, from memory. The ID in the query is the
 * only credential: it cannot be guessed, is not logged, and is only valid while the work is under way.
 */
export function createFileOffers ({ path, url }: Options): FileOffers & { readonly route: RouteOptions } {
  const files = new Map<string, Uint8Array>()
  return {
    offer (bytes) {
      const id = randomBytes(32).toString('base64url')
      files.set(id, bytes)
      return { url: `${url}?id=${id}`, withdraw: () => { files.delete(id) } }
    },
    route: {
      method: METHODS,
      url: path,
      // Answers before a body is read: only GET and HEAD are served.
      async onRequest (request, reply) {
        if (request.method === 'GET' || request.method === 'HEAD') return
        if (request.raw.httpVersionMajor === 1) reply.header('connection', 'close') // the body is not read
        return await reply.code(405).headers({ ...untrustedContentHeaders, allow: 'GET, HEAD' }).send()
      },
      handler (request: FastifyRequest, reply: FastifyReply) {
        const { id } = request.query as { id?: unknown }
        const bytes = typeof id === 'string' ? files.get(id) : undefined
        reply.headers(untrustedContentHeaders)
        return bytes === undefined
          ? reply.code(404).type('text/plain; charset=utf-8').send('No such file')
          : reply.type('application/octet-stream').send(bytes)
      }
    }
  }
}
