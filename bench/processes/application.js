// An application with the built plugin. It reports its resident memory every 50 ms, and on request what it has used
// since it started.
import Fastify from 'fastify'
import editor from '../../dist/lib/index.js'
import { storage, traffic } from './store.js'

const { DOCUMENT_SERVER, JWT_SECRET = '', MAX_FILE_SIZE, DOCUMENTS = '1' } = process.env
const MINUTE = 60_000

const app = Fastify()
await app.register(editor, {
  editorApiUrl: `${DOCUMENT_SERVER}/web-apps/apps/api/documents/api.js`,
  jwtSecret: JWT_SECRET,
  publicBaseUrl: 'http://documents.test',
  path: '/handler',
  storage: await storage(),
  maxFileSize: Number(MAX_FILE_SIZE),
  timeouts: { total: 30 * MINUTE },
  authorize: () => undefined // decides nothing, but is called
})
/** @type {string[]} */
const fileIds = []
while (fileIds.length < Number(DOCUMENTS)) {
  fileIds.push((await app.editorStorage.create('txt', Buffer.from('old'))).fileId)
}
const [fileId = ''] = fileIds
app.get('/page', async request => {
  const { config, proxyToken } = await app.editorControl().openDocument(
    /** @type {{ fileId?: string }} */ (request.query).fileId ?? fileId
  )
  return { config, proxyToken }
})
const origin = await app.listen({ port: 0, host: '127.0.0.1' })

process.on('message', message => {
  if (message === 'usage') process.send?.({ type: 'usage', cpu: process.cpuUsage(), traffic })
})
process.send?.({ type: 'listening', origin, fileId, fileIds })
setInterval(() => process.send?.({ type: 'rss', rss: process.memoryUsage.rss() }), 50)
