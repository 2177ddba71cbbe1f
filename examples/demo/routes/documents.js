import { blankFileTypes } from 'fastify-onlyoffice'
import { NoSuchDocument, UnknownFormat } from '../errors.js'
import { titleOf } from '../names.js'
import { preferencesIn } from '../preferences.js'
import { fieldsIn, idIn } from './request.js'
import { sendFile } from './send.js'

/** @import { FastifyInstance } from 'fastify' */
/** @import { Parts } from './index.js' */

/**
 * What users do with documents, apart from editing them.
 * @param {FastifyInstance} app
 * @param {Parts} parts
 */
export async function documentRoutes (app, { documents, thumbnails }) {
  app.post('/documents/new', async (request, reply) => {
    const { format, name } = fieldsIn(request)
    if (typeof format !== 'string' || !blankFileTypes.includes(format)) throw new UnknownFormat()
    const title = titleOf(name, format)
    const { lang } = preferencesIn(request.headers)
    const { fileId: id } = await app.editorControl({ lang }).createDocument(format, { title })
    return reply.code(201).send(await documents.add(id, title))
  })

  app.get('/documents/:id/download', async (request, reply) => {
    const { id, name } = await documents.existing(idIn(request))
    const file = await app.editorStorage.read(id)
    if (!file) throw new NoSuchDocument()
    return sendFile(reply, { name, body: file.body, size: file.info.size })
  })

  app.patch('/documents/:id', async (request, reply) => {
    const id = idIn(request)
    const { name, favorite } = fieldsIn(request)
    if (typeof favorite === 'boolean') await documents.favor(id, favorite)
    if (name === undefined) return reply.code(204).send()
    const { fileType } = await documents.existing(id)
    const renamed = await documents.rename(id, titleOf(name, fileType))
    await app.editorSessions.rename(id, renamed.name).catch(error =>
      request.log.warn({ err: error }, 'open editors still show the old name')
    )
    return renamed
  })

  app.post('/documents/:id/copy', async (request, reply) => {
    return reply.code(201).send(await documents.copy(idIn(request)))
  })

  app.delete('/documents/:id', async (request, reply) => {
    await documents.remove(idIn(request))
    return reply.code(204).send()
  })

  app.post('/documents/:id/restore', async request => await documents.restore(idIn(request)))

  app.post('/documents/:id/purge', async (request, reply) => {
    const id = idIn(request)
    await documents.purge(id)
    await thumbnails.remove(id)
    return reply.code(204).send()
  })
}
