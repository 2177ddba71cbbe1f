import { UnknownFormat } from '../errors.js'
import { formatName, kindOf, nameWith } from '../formats.js'
import { fieldsIn, idIn } from './request.js'
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
    const { extension } = await documents.existing(idIn(request))
    return {
      formats: (await formatsFor(extension)).map(format => ({
        extension: format,
        label: formatName(format),
        opens: kindOf(format) !== undefined
      }))
    }
  })

  app.post('/documents/:id/convert', async (request, reply) => {
    const { id, name, extension } = await documents.existing(idIn(request))
    const { format, add = false } = fieldsIn(request)
    if (typeof format !== 'string' || !(await formatsFor(extension)).includes(format)) throw new UnknownFormat()
    await documents.storeLatest(id)
    const control = await app.editorControl().openDocument(id, { name })
    const { body, fileType, mediaType, size } = await control.convert({
      outputType: format,
      title: nameWith(name, format)
    })
    const convertedName = nameWith(name, fileType)
    if (add !== true) return sendFile(reply, { name: convertedName, body, mediaType, size })
    if (!kindOf(fileType)) {
      body.destroy()
      throw new UnknownFormat()
    }
    const { fileId } = await app.editorStorage.create(fileType, body)
    return reply.code(201).send(await documents.add(fileId, convertedName))
  })

  /** @param {string} extension */
  async function formatsFor (extension) {
    const known = await app.editorServer.formats()
    const { convertsTo = [] } = known.find(format => format.extension === extension) ?? {}
    return convertsTo.filter(format => format !== extension).sort((a, b) => formatName(a).localeCompare(formatName(b)))
  }
}
