import { randomBytes } from 'node:crypto'
import { memoryStorage } from 'fastify-onlyoffice'
import { createDocumentServer, fakeClock } from 'onlyoffice-emulator'
import { createService } from './service.js'

/**
 * Starts the application and a document server, both on free ports.
 * @param {Partial<import('fastify-onlyoffice').FastifyOnlyofficeOptions>} [options]
 * @param {import('onlyoffice-emulator').FakeClock} [clock] Default: a clock that jumps ahead, so that no test waits.
 */
export async function start (options, clock = fakeClock({ autoAdvance: true })) {
  const jwtSecret = randomBytes(32).toString('hex')
  const documentServer = await createDocumentServer({ jwtSecret, clock })

  /** @type {import('fastify').FastifyInstance} */
  const app = await createService({
    editorApiUrl: documentServer.editorApiUrl,
    jwtSecret,
    publicBaseUrl: () => app.listeningOrigin,
    storage: memoryStorage(),
    ...options
  })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })

  return {
    documentServer,
    /** @param {string} name @param {string} text */
    async upload (name, text) {
      const response = await fetch(`${address}/documents/${name}`, { method: 'POST', body: text })
      return /** @type {{ fileId: string }} */ (await response.json()).fileId
    },
    /** Opens a document as an editor page does. @param {string} fileId @param {string} user */
    async open (fileId, user) {
      const response = await fetch(`${address}/documents/${fileId}/config?user=${user}`)
      return await documentServer.open(
        /** @type {import('onlyoffice-emulator').EditorConfig} */ (await response.json())
      )
    },
    /** @param {string} fileId */
    async read (fileId) {
      const response = await fetch(`${address}/documents/${fileId}`)
      return { text: await response.text(), savedBy: response.headers.get('saved-by') }
    },
    /** Stops the document server first: it saves open documents in the application. */
    async stop () {
      await documentServer.close()
      await app.close()
    }
  }
}
