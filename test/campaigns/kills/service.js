// The real service with the built plugin, its documents in a directory that others use as well. It has loaded
// everything when it says so and begins when it is told: a restart then costs milliseconds.
import Fastify from 'fastify'
import editor, { fileStorage } from '../../../dist/lib/index.js'
import { HANDLER, PUBLIC, SECRET } from './addresses.js'
import { VERSIONS_TO_KEEP } from './history.js'

process.once('message', async message => {
  const { directory, documentServer } = /** @type {{ directory: string, documentServer: string }} */ (message)
  const app = Fastify()
  await app.register(editor, {
    editorApiUrl: `${documentServer}/web-apps/apps/api/documents/api.js`,
    jwtSecret: SECRET,
    publicBaseUrl: PUBLIC,
    path: HANDLER,
    storage: fileStorage({ directory }),
    versions: { keep: VERSIONS_TO_KEEP },
    saveRetries: 0
  })
  app.get('/config', async request => {
    const { fileId } = /** @type {{ fileId: string }} */ (request.query)
    return (await app.editorControl().openDocument(fileId)).config
  })
  tell({ origin: await app.listen({ port: 0, host: '127.0.0.1' }) })
})
process.once('disconnect', () => process.exit())
tell({ isLoaded: true })

/** @param {object} message to whoever started this, if still there */
function tell (message) {
  process.send?.(message, undefined, undefined, () => {})
}
