import { createApp } from './app.js'
import { openDatabase } from './database.js'
import { openStorage } from './storage.js'

const { env } = process
const { HOST = '127.0.0.1', PORT = '3000', JWT_SECRET = '', SESSION_SECRET = '', ADMIN_PASSWORD = '' } = env
const { DATABASE_URL, DOCUMENT_SERVER_INTERNAL_URL, STORAGE = 'data/documents', TRUST_PROXY } = env

// Without EDITOR_API_URL: an emulated document server, in this process.
const emulator = env.EDITOR_API_URL
  ? undefined
  : await (await import('onlyoffice-emulator')).createDocumentServer({ jwtSecret: JWT_SECRET })
const database = await openDatabase({ url: DATABASE_URL, directory: 'data/postgresql' })
const { storage, close: closeStorage } = await openStorage(STORAGE, database)
const app = await createApp({
  database,
  sessionSecret: SESSION_SECRET,
  adminPassword: ADMIN_PASSWORD,
  trustProxy: TRUST_PROXY || false,
  editor: {
    editorApiUrl: env.EDITOR_API_URL || emulator?.editorApiUrl,
    jwtSecret: JWT_SECRET,
    publicBaseUrl: env.PUBLIC_BASE_URL || `http://127.0.0.1:${PORT}`,
    storage,
    documentServer: DOCUMENT_SERVER_INTERNAL_URL ? { internalUrl: DOCUMENT_SERVER_INTERNAL_URL } : {}
  }
})
await app.listen({ host: HOST, port: Number(PORT) })
console.log(`Open http://${HOST}:${PORT}`)

let closing
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => { closing ??= close() }) // npm passes Ctrl-C on, too

async function close () {
  await emulator?.close() // saves open documents
  setTimeout(() => app.server.closeAllConnections(), 500).unref() // browsers keep spare ones
  await app.close() // finishes saves, for up to timeouts.close
  await closeStorage()
  await database.end()
}
