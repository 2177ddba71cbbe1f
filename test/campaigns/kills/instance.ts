// A service in a process of its own. Told to close, it closes: then nothing may keep the process from ending.
import Fastify from 'fastify'
import editor, { fileStorage } from '../../../lib/index.js'
import { HANDLER, PUBLIC, SECRET } from './addresses.js'
import { holding } from './holds.js'
import type { Settings } from './instances.js'

const { directory, documentServer, holds = {}, timeouts = {} } = JSON.parse(process.argv[2]!) as Settings
const hold = holding(holds, () => process.send!('held'))
const app = Fastify()
await app.register(editor, {
  editorApiUrl: `${documentServer}/web-apps/apps/api/documents/api.js`,
  jwtSecret: SECRET,
  publicBaseUrl: PUBLIC,
  path: HANDLER,
  storage: hold.storage(fileStorage({ directory })),
  onSaved: async ({ fileId }) => await hold.at('telling', fileId),
  saveRetries: 0,
  timeouts
})
app.get<{ Querystring: { fileId: string } }>('/config', async ({ query }) => (await app.editorControl().openDocument(query.fileId)).config)
// A test that was cut off leaves nothing running.
process.once('disconnect', process.exit)
process.on('message', async message => {
  if (message === 'go on') return hold.letGo()
  process.off('disconnect', process.exit)
  process.disconnect()
  await app.close()
})
process.send!(await app.listen({ port: 0, host: '127.0.0.1' }))
