import { NoSuchDocument } from '../errors.js'
import { nameWith } from '../formats.js'
import { idIn } from './request.js'
import { sendFile } from './send.js'

/** @import { FastifyInstance } from 'fastify' */
/** @import { Parts } from './index.js' */

/**
 * Documents as files.
 * @param {FastifyInstance} app
 * @param {Parts} parts
 */
export async function contentRoutes (app, { documents }) {
  app.get('/documents/:id/download', async (request, reply) => {
    const { id, name } = await documents.existing(idIn(request))
    const file = await app.editorStorage.read(id)
    if (!file) throw new NoSuchDocument()
    return sendFile(reply, { name, body: file.body, size: file.info.size })
  })

  app.get('/documents/:id/pdf', async (request, reply) => {
    const { id, name } = await documents.existing(idIn(request))
    const control = await app.editorControl().openDocument(id, { name })
    const body = await control.convertToPdf()
    return sendFile(reply, { name: nameWith(name, 'pdf'), body, mediaType: 'application/pdf', isShown: true })
  })
}
