/*
What the examples need besides their own code. Without settings they run with an emulated document server: this module
starts it, and sets the variables that are missing.

PORT              port of the application. Default: the first free port from 3000 on; 0: any free port
HOST              IP address to listen on. Default: 127.0.0.1, so that only this machine can connect

With a real document server:
EDITOR_API_URL    https://docs.example.com/web-apps/apps/api/documents/api.js
JWT_SECRET        its secret
PUBLIC_BASE_URL   URL at which the document server reaches the application
*/
import { randomBytes } from 'node:crypto'
import { choosePort } from './demo/port.js'
import { endIfInUse } from './port-in-use.js'

const LAST_REQUESTS_MS = 500
/** For what hangs: on a busy machine it takes seconds to save what is open. */
const STOP_WITHIN_MS = 15_000

const { env } = process

env.HOST ||= '127.0.0.1'
const wanted = { host: env.HOST, port: env.PORT ? Number(env.PORT) : undefined }
env.PORT = String(await choosePort(wanted.host, wanted.port).catch(error => endIfInUse(error, wanted)))
env.PUBLIC_BASE_URL ||= `http://127.0.0.1:${env.PORT}`

/**
 * In the order of closing: a document server saves open documents through the application.
 * @type {Array<{ close (): PromiseLike<unknown> }>}
 */
const servers = []
if (!env.EDITOR_API_URL) {
  env.JWT_SECRET ||= randomBytes(32).toString('hex')
  env.EDITOR_API_URL = (await startDocumentServer(env.JWT_SECRET)).editorApiUrl
}

/** @type {Promise<void> | undefined} */
let closing
// The listeners stay: under npm, Ctrl-C arrives twice, and the second signal must not end the process while it closes.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => { closing ??= close() })

/**
 * Starts an emulated document server, which is closed with the process.
 * @param {string} jwtSecret
 */
async function startDocumentServer (jwtSecret) {
  const { createDocumentServer } = await import('onlyoffice-emulator')
  const documentServer = await createDocumentServer({ jwtSecret })
  servers.push(documentServer)
  return documentServer
}

/**
 * Closes the application with the process: it finishes the requests and saves that it has begun.
 * @param {import('fastify').FastifyInstance} app
 */
export function closeWithProcess (app) {
  servers.push({
    close () {
      // Browsers open spare connections that never carry a request; app.close() would wait for them.
      setTimeout(() => app.server.closeAllConnections(), LAST_REQUESTS_MS).unref()
      return app.close()
    }
  })
}

async function close () {
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
  for (const server of servers) await server.close()
  process.exit()
}
