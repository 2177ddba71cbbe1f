import { UnknownFormat } from '../errors.js'
import { documentName } from '../names.js'
import { isNewFormat, languageOf } from '../new-documents.js'
import { fieldsIn, idIn } from './request.js'

/** @import { FastifyInstance } from 'fastify' */
/** @import { Parts } from './index.js' */

/**
 * What users do with documents, apart from editing them.
 * @param {FastifyInstance} app
 * @param {Parts} parts
 */
export async function documentRoutes (app, { documents, thumbnails }) {
  app.post('/documents/new', async (request, reply) => {
    const { format, name, lang } = fieldsIn(request)
    if (!isNewFormat(format)) throw new UnknownFormat()
    const title = documentName(`${documentName(name)}.${format}`)
    const id = await app.editorControl().createDocument(String(format), { name: title, lang: languageOf(lang) })
    return reply.code(201).send(await documents.add(id, title))
  })

  app.patch('/documents/:id', async (request, reply) => {
    const id = idIn(request)
    const { name, favorite } = fieldsIn(request)
    if (typeof favorite === 'boolean') await documents.favor(id, favorite)
    if (name === undefined) return reply.code(204).send()
    const renamed = await documents.rename(id, name)
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
