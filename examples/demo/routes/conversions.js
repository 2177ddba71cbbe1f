import { UnknownFormat } from '../errors.js'
import { formatName, nameWith } from '../formats.js'
import { fieldsIn, idIn, untilGone } from './request.js'
import { sendFile } from './send.js'

/** @import { FastifyInstance } from 'fastify' */
/** @import { Parts } from './index.js' */

/**
 * Documents in other formats.
 * @param {FastifyInstance} app
 * @param {Parts} parts
 */
export async function conversionRoutes (app, { documents }) {
  app.get('/documents/:id/formats', async request => {
    const { fileType } = await documents.existing(idIn(request))
    return { formats: await formatsFor(fileType) }
  })

  app.post('/documents/:id/convert', async (request, reply) => {
    const { id, name, fileType: present } = await documents.existing(idIn(request))
    const { format, add = false } = fieldsIn(request)
    const wanted = (await formatsFor(present)).find(({ fileType }) => fileType === format)
    if (!wanted || (add === true && !wanted.opens)) throw new UnknownFormat()
    const signal = untilGone(reply)
    await documents.storeLatest(id, signal)
    const control = await app.editorControl().openDocument(id, { title: name })
    const { body, fileType, mediaType, size } = await control.convert({
      outputType: wanted.fileType,
      title: nameWith(name, wanted.fileType),
      signal
    })
    const convertedName = nameWith(name, fileType)
    if (add !== true) return sendFile(reply, { name: convertedName, body, mediaType, size })
    const { fileId } = await app.editorStorage.create(fileType, body)
    if (signal.aborted) return await app.editorStorage.remove?.(fileId)
    return reply.code(201).send(await documents.add(fileId, convertedName))
  })

  app.get('/documents/:id/pdf', async (request, reply) => {
    const { id, name } = await documents.existing(idIn(request))
    const control = await app.editorControl().openDocument(id, { title: name })
    const body = await control.convertToPdf({ signal: untilGone(reply) })
    return sendFile(reply, { name: nameWith(name, 'pdf'), body, mediaType: 'application/pdf', isShown: true })
  })

  /**
   * What a document can be converted to, and whether the editor opens the result.
   * @param {string} fileType
   */
  async function formatsFor (fileType) {
    const known = await app.editorServer.formats()
    const { convertsTo = [] } = known.find(format => format.fileType === fileType) ?? {}
    return convertsTo.filter(format => format !== fileType).map(format => ({
      fileType: format,
      label: formatName(format),
      opens: known.some(({ fileType, documentType }) => fileType === format && documentType !== undefined)
    })).sort((a, b) => a.label.localeCompare(b.label))
  }
}
