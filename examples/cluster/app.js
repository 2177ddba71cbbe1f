import Fastify from 'fastify'
import editor, { blankDocument } from 'fastify-onlyoffice'

const FORMAT = 'docx'

/**
 * One instance of a small document service. There may be any number of them: all that they share is in the storage.
 * @param {object} options
 * @param {import('fastify').FastifyServerOptions} [options.server]
 * @param {import('fastify-onlyoffice').EditorOptions} options.editor
 */
export async function createApp ({ server, editor: editorOptions }) {
  const app = Fastify({ trustProxy: true, ...server }) // only nginx reaches it
  await app.register(editor, { path: '/editor', ...editorOptions })

  // For a load balancer or an orchestrator: an instance that does not reach the storage is of no use.
  app.get('/health', { logLevel: 'silent' }, async () => {
    await app.editorStorage.stat('health')
    return { ok: true, pid: process.pid }
  })

  app.get('/', async (_request, reply) => reply.type('text/html').send(page('Documents', `
    <main>
      <form method="post" action="/documents"><button>New document</button></form>
      <p>Send others the URL of a document to edit it together. This page is from the instance with the process ID ${process.pid}.</p>
    </main>`)))

  app.post('/documents', async (_request, reply) => {
    const { fileId } = await app.editorStorage.create(FORMAT, blankDocument(FORMAT))
    return reply.redirect(`/edit/${fileId}`, 303)
  })
  // A form without fields.
  app.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
    payload.resume().once('end', () => done(null))
  })

  app.get('/edit/:fileId', async (request, reply) => {
    const { fileId } = /** @type {{ fileId: string }} */ (request.params)
    const control = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument(fileId)
    // A cached page would have an old document key.
    return reply.type('text/html').header('cache-control', 'no-store').send(page('Document', control.render()))
  })

  return app
}

/**
 * @param {string} title
 * @param {string} content
 */
function page (title, content) {
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <style>body { margin: 0; font-family: sans-serif } main { padding: 1rem }</style>
  </head>
  <body>${content}</body>
</html>`
}
