/*
An application with fastify-onlyoffice, and an embedded document server on another port.

PORT              port of the application. Default: the first free port from 3000 on; 0: any free port
HOST              IP address to listen on. Default: 127.0.0.1, so that only this machine can connect
ALLOWED_HOSTS     further hosts in the URL of the application, without port, separated by commas. It always answers for
                  localhost, 127.0.0.1, [::1], HOST and the host of PUBLIC_BASE_URL; with HOST=0.0.0.0 for every IP
                  address
DATA_DIR          directory of the documents and their names. Default: examples/demo/App_Data
PROFILE           secure (default) or classic
THUMBNAILS        on (default), or off: the list shows icons instead of previews, which take a while to make
LOG_LEVEL         level of the log on stderr. Default: warn

With a real document server instead of the embedded one:
EDITOR_API_URL    https://docs.example.com/web-apps/apps/api/documents/api.js
JWT_SECRET        its secret; required then. Default: a random secret at each start
PUBLIC_BASE_URL   URL at which the document server reaches the application. Default: http://127.0.0.1:PORT
DOCUMENT_SERVER_INTERNAL_URL   origin at which the application reaches the document server, if not that of
                               EDITOR_API_URL
*/
import { setTimeout as delay } from 'node:timers/promises'
import { createDocumentServer } from 'onlyoffice-emulator'
import { endIfInUse } from '../port-in-use.js'
import { createApp } from './app.js'
import { createFailures } from './failures.js'
import { choosePort } from './port.js'
import { readSettings } from './settings.js'

const LAST_REQUESTS_MS = 500
/** For what hangs: on a busy machine it takes seconds to save what is open. */
const STOP_WITHIN_MS = 15_000

const settings = readSettings(process.env)
const port = await choosePort(settings.host, settings.port).catch(error => endIfInUse(error, settings))
const address = `http://${hostname(settings.host)}:${port}`
const documentServer = settings.editorApiUrl
  ? null
  : await createDocumentServer({ jwtSecret: settings.jwtSecret, logger: settings.logger })

/** @type {Promise<void> | undefined} */
let restarting
const failures = createFailures({ documentServer, restart })
let app = await start()

/** @type {Promise<void> | undefined} */
let stopping
for (const signal of ['SIGINT', 'SIGTERM']) {
  // The listeners stay: under npm, Ctrl-C arrives twice, and the second signal must not kill the process while it
  // stops.
  process.on(signal, () => { stopping ??= stop() })
}
// Last: whoever reads it may send a signal at once.
console.log(`Documents: ${address}`)

/**
 * The host of the URL at which a browser on this machine reaches the application.
 * @param {string} host
 */
function hostname (host) {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

async function start () {
  const app = await createApp({
    ...settings,
    editorApiUrl: settings.editorApiUrl ?? documentServer?.editorApiUrl ?? '',
    isEmulated: documentServer !== null,
    publicBaseUrl: settings.publicBaseUrl ?? address,
    failures
  })
  await app.listen({ port, host: settings.host })
  return app
}

/**
 * As after a crash, but without losing what is being answered.
 * @param {number} pauseMs
 */
function restart (pauseMs) {
  restarting = (async () => {
    await delay(LAST_REQUESTS_MS) // the page shows what is about to happen
    await close()
    await delay(pauseMs)
    app = await start()
  })()
  return restarting
}

async function close () {
  // Browsers open spare connections that never carry a request; app.close() would wait for them.
  setTimeout(() => app.server.closeAllConnections(), LAST_REQUESTS_MS).unref()
  await app.close()
}

async function stop () {
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
  await restarting
  await failures.end() // the document server may be down, or the disk full
  await documentServer?.close() // first: it saves open documents through the application
  await close()
}
