// An application with two pages of a document: the plugin's, and one written by hand.
import http from 'node:http'
import http2 from 'node:http2'
import { register } from 'node:module'
import { once } from 'node:events'
import Fastify from 'fastify'
import editor, { memoryStorage } from '../../dist/lib/index.js'
import { answerCalls } from '../framework/child.js'
import { JWT_SECRET } from '../framework/secret.js'

register('../../scripts/typescript/hooks.js', import.meta.url)
const { createCertificate } = await import('../../test/kit/network.js')

answerCalls({
  /** @param {{ documentServer: string, isHttp2: boolean, prefix: string }} options */
  async start ({ documentServer, isHttp2, prefix }) {
    const editorApiUrl = `${documentServer}/web-apps/apps/api/documents/api.js`
    // The document server comes over plain HTTP in any case: it would have to trust the certificate.
    const plain = http.createServer()
    const server = isHttp2 ? http2.createSecureServer(createCertificate()) : plain
    const [publicBaseUrl, origin] = await Promise.all([
      listening(plain, 'http'),
      isHttp2 ? listening(server, 'https') : undefined
    ])
    const app = Fastify({
      serverFactory (handler) {
        plain.on('request', handler)
        if (isHttp2) server.on('request', /** @type {any} */ (handler))
        return plain
      }
    })
    await app.register(editor, { editorApiUrl, jwtSecret: JWT_SECRET, publicBaseUrl, prefix, storage: memoryStorage() })
    const { fileId } = await app.editorStorage.create('txt', Buffer.from('content'))
    /** @type {Record<string, (control: import('../../dist/lib/index.js').EditorControl) => string>} */
    const bodies = {
      plugin: control => control.render(),
      'by-hand': control =>
        `<script src="${editorApiUrl}"></script><div id="editor"></div><script>new DocsAPI.DocEditor('editor', ${control.configJson})</script>`
    }
    for (const [name, body] of Object.entries(bodies)) {
      app.get(`${prefix}/${name}`, async (_request, reply) => {
        const control = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument(fileId)
        return reply.type('text/html').header('cache-control', 'no-store')
          .send(`<!DOCTYPE html><html lang="en"><meta name="viewport" content="width=device-width"><title>Document</title><link rel="icon" href="data:,">${body(control)}`)
      })
    }
    await app.ready()
    return { url: (origin ?? publicBaseUrl) + prefix }
  }
})

/**
 * @param {import('node:net').Server} server
 * @param {string} scheme
 */
async function listening (server, scheme) {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `${scheme}://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`
}
