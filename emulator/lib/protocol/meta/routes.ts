import type { FastifyInstance } from 'fastify'
import { formats } from './formats.js'

/** `/meta/formats`: the list of formats. It needs no token. */
export function metaRoutes (app: FastifyInstance): void {
  app.get('/meta/formats', async (_request, reply) => await reply
    .type('application/json; charset=UTF-8')
    .header('Cache-Control', 'max-age=300')
    .send(JSON.stringify(formats)))
}
