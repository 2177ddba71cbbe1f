import { isFromThisMachine } from '../doctor.js'
import { NotHere } from '../errors.js'
import { forgottenPage } from '../pages/forgotten.js'
import { visitorIn } from './request.js'

/** @import { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify' */
/** @import { Parts } from './index.js' */

const PATH = '/forgotten'

/**
 * Saves that the document server keeps because the application did not take them. Only for users of this machine, as
 * the doctor.
 * @param {FastifyInstance} app
 * @param {Parts} parts
 */
export async function forgottenRoutes (app, { documents, sendPage }) {
  app.addHook('onRequest', async request => {
    if (!isFromThisMachine(request)) throw new NotHere()
  })
  app.get(PATH, async (request, reply) => await sendFiles(request, reply, { isDone: false }))
  app.post(`${PATH}/recover`, async (request, reply) => await sendFiles(request, reply, { isDone: true }))

  /**
   * @param {FastifyRequest} request
   * @param {FastifyReply} reply
   * @param {{ isDone: boolean }} options
   */
  async function sendFiles (request, reply, { isDone }) {
    const found = await app.editorServer.recoverForgotten({ dryRun: !isDone })
    const files = await Promise.all(
      found.filter(({ outcome }) => outcome !== 'foreign').map(async file => ({
        ...file,
        name: await nameOf(file.fileId)
      }))
    )
    return sendPage(reply, forgottenPage({ files, isDone, visitor: visitorIn(request) }))
  }

  /** @param {string | undefined} fileId */
  async function nameOf (fileId) {
    const document = fileId === undefined ? null : await documents.existing(fileId).catch(() => null)
    return document?.name ?? 'A document that was deleted'
  }
}
