// An instance with documents that the other one uses as well. It has loaded everything when it says so
// and begins when it is told: a restart then costs milliseconds.
import Fastify from 'fastify'
import editor from 'fastify-onlyoffice'
import { openStorage } from './storage.js'

/** The most there are: whoever looks for something lost sees what was stored. */
const VERSIONS_TO_KEEP = 1000

/**
 * @typedef {import('./storage.js').StorageSettings & {
 *   editorApiUrl: string, jwtSecret: string, publicBaseUrl: string, port: number, logFile: string
 * }} Settings
 */

process.once('message', async message => {
  const { editorApiUrl, jwtSecret, publicBaseUrl, port, logFile, ...settings } = /** @type {Settings} */ (message)
  const app = Fastify({ trustProxy: true, logger: { level: 'warn', file: logFile } })
  await app.register(editor, {
    path: '/editor',
    editorApiUrl,
    jwtSecret,
    publicBaseUrl,
    storage: openStorage(settings),
    versions: { keep: VERSIONS_TO_KEEP },
    onSaved: tell
  })
  /** @param {import('fastify').FastifyRequest} request */
  const controlFor = async ({ params, query }) => {
    const { fileId, user } = /** @type {{ fileId: string, user: string }} */ ({ ...Object(params), ...Object(query) })
    return await app.editorControl({ user: { id: user, name: user } }).openDocument(fileId)
  }
  app.get('/config/:fileId', async request => (await controlFor(request)).config)
  app.post('/force-save/:fileId', async request => await (await controlFor(request)).forceSave({ timeout: 20_000 }))
  tell({ origin: await app.listen({ port, host: '127.0.0.1' }) })
})
process.once('disconnect', () => process.exit())
tell({ isLoaded: true })

/**
 * Resolves when whoever started this will get it, whatever becomes of this process.
 * @param {object} message
 * @returns {Promise<void>}
 */
function tell (message) {
  return new Promise(resolve => {
    if (!process.send?.(message, undefined, undefined, () => resolve())) resolve()
  })
}
