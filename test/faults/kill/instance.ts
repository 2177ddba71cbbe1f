// A service in a process of its own. Told to close, it closes: then nothing may keep the process from ending.
import Fastify from 'fastify'
import editor, { fileStorage } from '../../../lib/index.js'
import { HANDLER, PUBLIC, SECRET } from './addresses.js'

const [directory = '', documentServer = ''] = process.argv.slice(2)
const app = Fastify()
await app.register(editor, {
  editorApiUrl: `${documentServer}/web-apps/apps/api/documents/api.js`,
  jwtSecret: SECRET,
  publicBaseUrl: PUBLIC,
  path: HANDLER,
  storage: fileStorage({ directory }),
  saveRetries: 0
})
app.get<{ Querystring: { fileId: string } }>('/config', async ({ query }) => (await app.editorControl().openDocument(query.fileId)).config)
// A test that was cut off leaves nothing running.
process.once('disconnect', process.exit)
process.once('message', async () => {
  process.off('disconnect', process.exit)
  process.disconnect()
  await app.close()
})
process.send!(await app.listen({ port: 0, host: '127.0.0.1' }))
