// An application with the built plugin. It reports its resident memory every 50 ms.
import Fastify from 'fastify'
import editor, { fileStorage } from '../../dist/lib/index.js'

const { DIRECTORY = '', DOCUMENT_SERVER, JWT_SECRET = '', MAX_FILE_SIZE } = process.env
const MINUTE = 60_000

const app = Fastify()
await app.register(editor, {
  editorApiUrl: `${DOCUMENT_SERVER}/web-apps/apps/api/documents/api.js`,
  jwtSecret: JWT_SECRET,
  publicBaseUrl: 'http://documents.test',
  path: '/handler',
  storage: fileStorage({ directory: DIRECTORY }),
  maxFileSize: Number(MAX_FILE_SIZE),
  timeouts: { total: 30 * MINUTE },
  authorize: () => undefined // decides nothing, but is called
})
const { fileId } = await app.editorStorage.create('txt', Buffer.from('old'))
app.get('/page', async () => {
  const { config, proxyToken } = await app.editorControl().openDocument(fileId)
  return { config, proxyToken }
})
const origin = await app.listen({ port: 0, host: '127.0.0.1' })

process.send?.({ type: 'listening', origin, fileId })
setInterval(() => process.send?.({ type: 'rss', rss: process.memoryUsage.rss() }), 50)
