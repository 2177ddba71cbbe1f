import Fastify from 'fastify'
import editor from 'fastify-onlyoffice'

/**
 * The application under test: it stores uploads, opens documents in the editor, serves them, and knows who saved them.
 * @param {import('fastify').FastifyServerOptions} server
 * @param {import('fastify-onlyoffice').FastifyOnlyofficeOptions} options
 */
export async function createService (server, options) {
  const app = Fastify(server)
  /** @type {Map<string, string[]>} */
  const savedBy = new Map()

  await app.register(editor, {
    ...options,
    onSaved ({ fileId, users }) {
      savedBy.set(fileId, [...savedBy.get(fileId) ?? [], ...users ?? []])
    }
  })

  // Uploads are bytes, whatever their type: Fastify's own parser would decode text.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => done(null, body))

  app.post('/documents/:name', async request => {
    const { name } = /** @type {{ name: string }} */ (request.params)
    const control = app.editorControl()
    await control.uploadDocument(/** @type {Buffer} */ (request.body), name)
    return { fileId: control.fileId }
  })

  app.get('/documents/:fileId/config', async (request, reply) => {
    const { fileId } = /** @type {{ fileId: string }} */ (request.params)
    const { user = 'Somebody' } = /** @type {{ user?: string }} */ (request.query)
    const control = await app.editorControl({ user: { id: user.toLowerCase(), name: user } }).openDocument(fileId)
    return reply.header('cache-control', 'no-store').send(control.config)
  })

  app.get('/documents/:fileId', async (request, reply) => {
    const { fileId } = /** @type {{ fileId: string }} */ (request.params)
    const file = await app.editorStorage.read(fileId)
    return file === null
      ? reply.callNotFound()
      : reply.header('saved-by', savedBy.get(fileId)?.join(' ') ?? '').send(file.body)
  })

  return app
}
