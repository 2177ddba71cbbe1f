/*
A host service with fastify-onlyoffice, and beside it, on a port of its own, the embedded document server.

PORT              port of the host. Default: 3000, or the next free one; 0: any free one
HOST              address to listen at. Default: 127.0.0.1, so that only this machine can reach it
ALLOWED_HOSTS     further names it is reached by, without a port, separated by commas. It answers to localhost, 127.0.0.1,
                  [::1], HOST and the host of PUBLIC_BASE_URL, and with HOST=0.0.0.0 to every address, not to every name
DATA_DIR          where documents and their names are kept. Default: examples/demo/App_Data
PROFILE           secure (default) or classic
LOG_LEVEL         of the log on stderr. Default: warn

With a real document server instead of the embedded one:
EDITOR_API_URL    https://docs.example.com/web-apps/apps/api/documents/api.js
JWT_SECRET        its secret. Default: a random one at each start
PUBLIC_BASE_URL   where the document server reaches this host. Default: http://127.0.0.1:PORT
DOCUMENT_SERVER_INTERNAL_URL   where this host reaches the document server, when not at EDITOR_API_URL's origin
*/
import { createDocumentServer } from 'onlyoffice-emulator'
import { createApp } from './app.js'
import { choosePort } from './port.js'
import { readSettings } from './settings.js'

const LAST_REQUESTS_MS = 500
const STOP_WITHIN_MS = 5000

const settings = readSettings(process.env)
const port = await choosePort(settings.host, settings.port)
const address = `http://${hostname(settings.host)}:${port}`
const documentServer = settings.editorApiUrl
  ? null
  : await createDocumentServer({ jwtSecret: settings.jwtSecret, logger: settings.logger })

const app = await createApp({
  ...settings,
  editorApiUrl: settings.editorApiUrl ?? documentServer?.editorApiUrl ?? '',
  publicBaseUrl: settings.publicBaseUrl ?? address
})
await app.listen({ port, host: settings.host })
console.log(`Documents: ${address}`)

/** @type {Promise<void> | undefined} */
let stopping
for (const signal of ['SIGINT', 'SIGTERM']) {
  // Every signal has its listener for good: Ctrl-C under npm arrives twice, and the second must not cut the first short.
  process.on(signal, () => { stopping ??= stop() })
}

/**
 * What a browser on this machine calls the address that is listened at.
 * @param {string} host
 */
function hostname (host) {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

async function stop () {
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
  await documentServer?.close() // first: what is open in it is saved through the app
  // Browsers keep spare connections that never carried a request; closing would wait for them.
  setTimeout(() => app.server.closeAllConnections(), LAST_REQUESTS_MS).unref()
  await app.close()
}
