import type { FastifyInstance } from 'fastify'
import { isOwnPage } from '../own-names.js'
import { invalid, RemoteError, sendError } from './errors.js'

const JSON_TYPE = 'application/json'
const BYTES_TYPE = 'application/octet-stream'

/**
 * Keeps pages of other sites out: what a page of another origin asks is refused, and a POST must have a type that no form and no
 * simple cross-site request can send.
 */
export function guard (scope: FastifyInstance, publicUrl: () => string): void {
  scope.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'Cache-Control': 'no-store', 'Cross-Origin-Resource-Policy': 'same-origin', 'X-Content-Type-Options': 'nosniff' })
    const site = request.headers['sec-fetch-site']
    const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none'
    if (isForeign || !isOwnPage(request, publicUrl())) throw new RemoteError(403, 'FOREIGN_ORIGIN', 'This is not for pages of other origins')
    const type = request.headers['content-type']?.split(';', 1)[0]!.trim().toLowerCase()
    if (request.method === 'POST' && type !== JSON_TYPE && type !== BYTES_TYPE) {
      throw new RemoteError(415, 'CONTENT_TYPE', `Send Content-Type: ${JSON_TYPE}, or ${BYTES_TYPE} for the bytes of a document`)
    }
  })
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(BYTES_TYPE, { parseAs: 'buffer' }, (request, body, done) => done(null, body))
  scope.addContentTypeParser(JSON_TYPE, { parseAs: 'string' }, (request, body, done) => {
    try {
      done(null, body === '' ? {} : JSON.parse(String(body)))
    } catch {
      done(invalid('The body is not JSON'))
    }
  })
  scope.setErrorHandler((error, request, reply) => sendError(error, reply))
  scope.setNotFoundHandler((request, reply) => sendError(new RemoteError(404, 'NOT_FOUND', 'There is no such address'), reply))
}
