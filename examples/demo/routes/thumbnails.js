import { idIn } from './request.js'

/** @import { FastifyInstance } from 'fastify' */
/** @import { Parts } from './index.js' */

/**
 * The image of a first page: 200 with the image, 202 while it is being made, 204 if there is none.
 * @param {FastifyInstance} app
 * @param {Parts} parts
 */
export async function thumbnailRoutes (app, { documents, thumbnails }) {
  app.get('/documents/:id/thumbnail', async (request, reply) => {
    const image = await thumbnails.of(await documents.existing(idIn(request)))
    if (typeof image === 'string') {
      return reply.code(image === 'later' ? 202 : 204).header('cache-control', 'no-store').send()
    }
    return reply
      .type('image/png')
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'private, max-age=31536000, immutable') // the URL contains the revision
      .send(image)
  })
}
