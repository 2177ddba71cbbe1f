import editor, { fileStorage } from 'fastify-onlyoffice'

/**
 * One customer, as a Fastify plugin that is registered once for each, with a prefix. Everything in it belongs to this
 * customer alone: the document server, its secret, the documents, and what the plugin decorates this scope with. The
 * browser's origin is shared, and `api.js` runs in it: do not add a document server that a customer runs.
 * @param {import('fastify').FastifyInstance} scope
 * @param {{ tenant: { name: string, editorApiUrl: string, jwtSecret: string, directory: string }, publicBaseUrl: string
 *   }} options
 */
export async function tenantRoutes (scope, { tenant, publicBaseUrl }) {
  await scope.register(editor, {
    editorApiUrl: tenant.editorApiUrl,
    jwtSecret: tenant.jwtSecret,
    publicBaseUrl, // without the prefix, which the plugin knows
    storage: fileStorage({ directory: tenant.directory }),
    path: '/editor'
  })

  // In your application: a login hook of this scope, which lets only users of this customer pass.
  scope.get('/:fileId', async (request, reply) => {
    const { fileId } = /** @type {{ fileId: string }} */ (request.params)
    const control = await scope.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument(fileId)
    return reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(`<!doctype html>
      <html lang="en"><meta name="viewport" content="width=device-width"><title>${tenant.name}</title><link rel="icon" href="data:,">
      <style>body { margin: 0 } [data-onlyoffice-editor] { height: 100dvh }</style>${control.render()}`)
  })
}
