// An application with two pages of a document: the plugin's, and one written by hand.
import http from 'node:http'
import { once } from 'node:events'
import Fastify from 'fastify'
import editor, { memoryStorage } from '../../dist/lib/index.js'
import { answerCalls } from '../framework/child.js'
import { JWT_SECRET } from '../framework/secret.js'

answerCalls({
  /** @param {{ documentServer: string }} options */
  async start ({ documentServer }) {
    const editorApiUrl = `${documentServer}/web-apps/apps/api/documents/api.js`
    const server = http.createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
    const publicBaseUrl = `http://127.0.0.1:${port}`
    const app = Fastify({ serverFactory: handler => server.on('request', handler) })
    await app.register(editor, { editorApiUrl, jwtSecret: JWT_SECRET, publicBaseUrl, storage: memoryStorage() })
    const { fileId } = await app.editorStorage.create('txt', Buffer.from('content'))
    /** @type {Record<string, (control: import('../../dist/lib/index.js').EditorControl) => string>} */
    const bodies = {
      plugin: control => control.render(),
      'by-hand': control =>
        `<script src="${editorApiUrl}"></script><div id="editor"></div><script>new DocsAPI.DocEditor('editor', ${control.configJson})</script>`
    }
    for (const [name, body] of Object.entries(bodies)) {
      app.get(`/${name}`, async (_request, reply) => {
        const control = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument(fileId)
        return reply.type('text/html').header('cache-control', 'no-store')
          .send(`<!DOCTYPE html><html lang="en"><meta name="viewport" content="width=device-width"><title>Document</title><link rel="icon" href="data:,">${body(control)}`)
      })
    }
    await app.ready()
    return { url: publicBaseUrl }
  }
})
