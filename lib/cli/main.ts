#!/usr/bin/env node
import { createRequire } from 'node:module'
import { commandOf, HELP, UsageError } from './options.js'

const VERSION: string = createRequire(import.meta.url)('fastify-onlyoffice/package.json').version

const [UNHEALTHY, BAD_USAGE, INTERRUPTED] = [1, 2, 130]
const STOP_WITHIN_MS = 5000

// A reader of the output, such as head, may stop: that must not end the process before it has cleaned up.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // The listeners stay: Ctrl-C under npx arrives twice, and the second must not end the process early.
  process.on(signal, () => {
    interruption.abort(new Error('interrupted'))
    setTimeout(() => process.exit(INTERRUPTED), STOP_WITHIN_MS).unref()
  })
}

try {
  const command = commandOf(process.argv.slice(2), process.env)
  switch (command.type) {
    case 'help':
      process.stdout.write(HELP)
      break
    case 'version':
      process.stdout.write(`${VERSION}\n`)
      break
    case 'doctor': {
      // Loaded late, so that wrong usage is reported at once.
      const { runDoctor } = await import('./doctor.js')
      const { healthy } = await runDoctor(command, interruption.signal)
      process.exitCode = healthy ? 0 : UNHEALTHY
    }
  }
} catch (error) {
  if (interruption.signal.aborted) {
    process.stderr.write('fastify-onlyoffice: interrupted\n')
    process.exitCode = INTERRUPTED
  } else if (error instanceof UsageError) {
    process.stderr.write(`fastify-onlyoffice: ${error.message}\nTry npx fastify-onlyoffice --help\n`)
    process.exitCode = BAD_USAGE
  } else {
    throw error
  }
}
