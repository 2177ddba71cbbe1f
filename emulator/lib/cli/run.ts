import { randomBytes } from 'node:crypto'
import { createDocumentServer } from '../create.js'
import { localUrlOf } from '../url.js'
import { systemClock } from '../protocol/clock/time.js'
import type { DocumentServer } from '../../types/document-server.js'
import { movingClock } from './moving-clock.js'
import { explained } from './explained.js'
import type { Command } from './options.js'

const STOP_WITHIN_MS = 5000
/** Enough to see what happened, without filling the memory. */
const REQUEST_LOG = { entries: 1000, bodyBytes: 64 * 1024 }

/** Runs until a signal ends the process. Prints where it listens. Throws a `UsageError` when it can't listen there. */
export async function run (
  { server: options, secrets, fakeClock, logLevel }: Extract<Command, { type: 'run' }>
): Promise<void> {
  const jwtSecret = secrets.length > 0 ? secrets : [randomBytes(32).toString('hex')]
  const server = await createDocumentServer({
    ...options,
    jwtSecret,
    clock: fakeClock ? movingClock() : systemClock,
    logger: {
      level: logLevel,
      stream: process.stderr,
      serializers: { req: ({ method, url }) => ({ method, path: url?.split('?', 1)[0] }) }
    },
    remoteControl: true,
    requestLog: REQUEST_LOG
  }).catch(error => { throw explained(error, options) })

  stopOnSignal(server)
  const listening = localUrlOf(server.server)
  const lines = [
    `Listening: ${listening}`,
    ...(options.publicUrl === undefined ? [] : [`Public URL: ${server.url}`]),
    `api.js: ${server.editorApiUrl}`,
    `Status page: ${listening}/`,
    ...(secrets.length > 0 ? [] : [`JWT secret: ${jwtSecret[0]}`])
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function stopOnSignal (server: DocumentServer): void {
  let isStopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // The listeners stay: Ctrl-C under npx arrives twice, and the second must not end the process early.
    process.on(signal, () => {
      if (isStopping) return
      isStopping = true
      setTimeout(() => {
        process.stderr.write('onlyoffice-emulator: your service did not answer in time; unsaved documents are lost\n')
        process.exit(1)
      }, STOP_WITHIN_MS).unref()
      server.close().then(() => process.exit(0), error => {
        process.stderr.write(`onlyoffice-emulator: ${error.message}\n`)
        process.exit(1)
      })
    })
  }
}
