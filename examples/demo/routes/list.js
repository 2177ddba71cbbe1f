import { DOCTOR_PATH, isFromThisMachine } from '../doctor.js'
import { newFormats } from '../new-documents.js'
import { listPage } from '../pages/list.js'
import { preferencesIn, sorts } from '../preferences.js'
import { FORGOTTEN_PATH } from './forgotten.js'
import { userIn } from './request.js'

/** @import { FastifyInstance } from 'fastify' */
/** @import { Parts } from './index.js' */

/**
 * The list of documents. Its script requests it again every few seconds, to show what others do.
 * @param {FastifyInstance} app
 * @param {Parts} parts
 */
export async function listRoutes (app, { documents, messages, presence, thumbnails, sendPage }) {
  app.get('/', async (request, reply) => {
    const user = userIn(request)
    const preferences = preferencesIn(request.headers)
    const [listed, editors] = await Promise.all([documents.list(), presence.users()])
    return sendPage(reply, listPage({
      documents: listed.sort(sorts[preferences.sort].compare),
      editors,
      deleted: documents.deleted(),
      messages: messages.to(user.id),
      newFormats,
      user,
      preferences,
      hasThumbnails: thumbnails.isEnabled,
      care: isFromThisMachine(request) ? { doctor: DOCTOR_PATH, forgotten: FORGOTTEN_PATH } : null
    }))
  })

  app.delete('/messages/:id', async (request, reply) => {
    messages.remove(Number(/** @type {{ id: string }} */ (request.params).id))
    return reply.code(204).send()
  })
}
