import { check } from '../check/check.js'
import { isError, json, junit, list, summary, textOf } from '../check/report.js'
import { scenarios } from '../check/all-scenarios.js'
import { NotCheckable } from '../check/types.js'
import type { CheckCommand } from './check-options.js'
import { explained } from './explained.js'
import { UsageError } from './server-options.js'

export function printList (): void {
  process.stdout.write(list(scenarios))
}

/** Prints the outcome of each scenario, and sets the exit code. Throws a `UsageError`. */
export async function runCheck ({ options, format }: Extract<CheckCommand, { type: 'check' }>): Promise<void> {
  const unknown = options.only.find(id => !scenarios.some(scenario => scenario.id === id))
  if (unknown !== undefined) throw new UsageError(`--only: there is no scenario ${unknown}. Try onlyoffice-emulator check --list`)
  const print = (text: string) => { if (format === 'text') process.stdout.write(text) }
  const outcomes = await check(options, {
    onStart: url => print(`Document server: ${url}\n`),
    onOutcome: outcome => print(textOf(outcome))
  }).catch((error: Error) => {
    throw error instanceof NotCheckable ? new UsageError(error.message) : explained(error, options.server)
  })
  process.stdout.write({ text: summary, json, junit }[format](outcomes))
  process.exitCode = outcomes.some(isError) ? 1 : 0
}
