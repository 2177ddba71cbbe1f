import send from '@fastify/send'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { fileURLToPath } from 'node:url'

const BROWSER_MODULES = fileURLToPath(new URL('../browser/', import.meta.url))

/** Serves the page's modules below the handler's path, with validators and ranges. */
export function assetsRoute (path: string): RouteOptions {
  return {
    method: ['GET', 'HEAD'],
    url: `${path}/assets/*`,
    async handler (request: FastifyRequest, reply: FastifyReply) {
      const { '*': name } = request.params as { '*': string }
      const { type, statusCode, headers, stream, metadata } = await send(request.raw, encodeURI(`/${name}`), { root: BROWSER_MODULES, index: false })
      if (type === 'file') return await reply.code(statusCode).headers(headers).send(stream)
      if (type === 'error' && statusCode !== 404) throw metadata.error
      return reply.callNotFound()
    }
  }
}
