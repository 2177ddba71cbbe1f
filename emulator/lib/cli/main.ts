#!/usr/bin/env node
import { VERSION } from '../version.js'
import { CHECK_HELP } from './check-options.js'
import { commandOf, HELP } from './options.js'
import { UsageError } from './server-options.js'

const BAD_USAGE = 2

// A reader may stop: `onlyoffice-emulator | head -1` must not end the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

try {
  const command = commandOf(process.argv.slice(2), process.env)
  switch (command.type) {
    case 'help':
      process.stdout.write(HELP)
      break
    case 'check-help':
      process.stdout.write(CHECK_HELP)
      break
    case 'version':
      process.stdout.write(`${VERSION}\n`)
      break
    case 'list':
      (await import('./check.js')).printList()
      break
    case 'check':
      await (await import('./check.js')).runCheck(command)
      break
    case 'run':
      // Loaded late, so that bad options are reported at once.
      await (await import('./run.js')).run(command)
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`onlyoffice-emulator: ${error.message}\nTry onlyoffice-emulator --help\n`)
  process.exitCode = BAD_USAGE
}
