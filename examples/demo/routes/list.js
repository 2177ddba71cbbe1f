import { listPage } from '../pages/list.js'
import { sorted } from '../sorting.js'
import { visitorIn } from './request.js'

/** @import { FastifyInstance } from 'fastify' */
/** @import { Parts } from './index.js' */

/**
 * The list of documents. Its script requests it again every few seconds, to show what others do.
 * @param {FastifyInstance} app
 * @param {Parts} parts
 */
export async function listRoutes (app, { documents, messages, presence, thumbnails, sendPage }) {
  app.get('/', async (request, reply) => {
    const visitor = visitorIn(request)
    const [listed, editors] = await Promise.all([documents.list(), presence.users()])
    return sendPage(reply, listPage({
      documents: sorted(listed, visitor.preferences.sort),
      editors,
      deleted: documents.deleted(),
      messages: messages.to(visitor.user.id),
      visitor,
      hasThumbnails: thumbnails.isEnabled
    }))
  })

  app.delete('/messages/:id', async (request, reply) => {
    messages.remove(Number(/** @type {{ id: string }} */ (request.params).id))
    return reply.code(204).send()
  })
}
