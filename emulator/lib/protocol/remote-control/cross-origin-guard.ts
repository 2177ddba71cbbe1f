import type { FastifyInstance } from 'fastify'
import { isOwnPage } from '../allowed-hosts.js'
import { invalid, RemoteError, sendError } from './requests.js'

const JSON_TYPE = 'application/json'
const BYTES_TYPE = 'application/octet-stream'

/**
 * Refuses requests from pages of other origins. A POST needs a content type that neither a form nor a simple cross-site
 * request can send.
 */
export function guardAgainstOtherOrigins (scope: FastifyInstance, publicUrl: () => string): void {
  scope.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'Cache-Control': 'no-store',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff'
    })
    const site = request.headers['sec-fetch-site']
    const isCrossSite = site !== undefined && site !== 'same-origin' && site !== 'none'
    if (isCrossSite || !isOwnPage(request, publicUrl())) {
      throw new RemoteError(403, 'FOREIGN_ORIGIN', 'Pages of other origins cannot use this')
    }
    const type = request.headers['content-type']?.split(';', 1)[0]!.trim().toLowerCase()
    if (request.method === 'POST' && type !== JSON_TYPE && type !== BYTES_TYPE) {
      throw new RemoteError(
        415,
        'CONTENT_TYPE',
        `Send Content-Type: ${JSON_TYPE}, or ${BYTES_TYPE} for the bytes of a document`
      )
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
  scope.setNotFoundHandler((request, reply) =>
    sendError(new RemoteError(404, 'NOT_FOUND', 'There is no such path'), reply)
  )
}
