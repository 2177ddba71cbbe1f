// An application with the plugin, in the secure profile, with documents in a directory.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Fastify from 'fastify'
import editor, { fileStorage } from '../../dist/lib/index.js'
import { answerCalls } from '../framework/child.js'
import { content } from '../framework/content.js'
import { JWT_SECRET } from '../framework/secret.js'

const PUBLIC = 'http://documents.test'
const app = Fastify()
let directory = ''

answerCalls({
  /** @param {{ folder: string, documentServer: string, documents?: number, size?: number }} options */
  async start ({ folder, documentServer, documents = 0, size = 1000 }) {
    directory = join(folder, 'plugin')
    await mkdir(directory, { recursive: true })
    const fileIds = []
    for (let number = 0; number < documents; number++) {
      const fileId = `document-${number}`
      await writeFile(join(directory, `${fileId}.txt`), content(size, 0))
      fileIds.push(fileId)
    }
    await app.register(editor, {
      editorApiUrl: `${documentServer}/web-apps/apps/api/documents/api.js`,
      jwtSecret: JWT_SECRET,
      publicBaseUrl: PUBLIC,
      path: '/handler',
      storage: fileStorage({ directory }),
      maxFileSize: 2e9,
      timeouts: { total: 600_000 }
    })
    app.get('/page', async request => await openPage(/** @type {{ fileId: string }} */ (request.query).fileId))
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    return { origin, fileIds, directory }
  },
  openPage
})

/** @param {string} fileId */
async function openPage (fileId) {
  const { config, proxyToken } = await app.editorControl().openDocument(fileId)
  if (!config) throw new Error(`there is no document ${fileId}`)
  const { document, editorConfig } = config
  const path = (/** @type {unknown} */ url) => String(url).replace(PUBLIC, '')
  return {
    fileId,
    key: document.key,
    callbackPath: path(editorConfig.callbackUrl),
    downloadPath: path(document.url),
    proxyToken,
    file: join(directory, `${fileId}.txt`)
  }
}
