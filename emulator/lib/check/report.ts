import type { Outcome, Scenario } from './types.js'

export type Format = 'text' | 'json' | 'junit'

export const isError = ({ result, severity }: Outcome): boolean => result === 'failed' && severity === 'must'
const isWarning = ({ result, severity }: Outcome): boolean => result === 'failed' && severity === 'should'

/** The scenarios, one per line. */
export function list (scenarios: readonly Scenario[]): string {
  return scenarios.map(({ id, severity, title }) => `${id.padEnd(28)} ${severity.padEnd(6)} ${title}\n`).join('')
}

/** The line of a scenario; with what is wrong, if it has failed. */
export function textOf (outcome: Outcome): string {
  const { id, title, result, reason, expected, seen, remedy, source, statement } = outcome
  const word = isError(outcome) ? 'FAILED' : isWarning(outcome) ? 'warning' : result
  const line = `${word.padEnd(8)} ${id}: ${title}${result === 'skipped' ? ` (${reason})` : ''}\n`
  return result === 'failed'
    ? `${line}         expected: ${expected}\n         seen: ${seen}\n         remedy: ${remedy}\n         source: ${source}${statement && ` (${statement})`}\n`
    : line
}

export function summary (outcomes: readonly Outcome[]): string {
  const count = (result: Outcome['result']) => outcomes.filter(outcome => outcome.result === result).length
  return `${outcomes.length} scenarios: ${count('passed')} passed, ${outcomes.filter(isError).length} failed, ` +
    `${outcomes.filter(isWarning).length} warnings, ${count('skipped')} skipped\n`
}

export function json (outcomes: readonly Outcome[]): string {
  const scenarios = outcomes.map(outcome => outcome.result === 'failed' ? outcome : { ...outcome, remedy: undefined })
  return `${JSON.stringify({ passed: !outcomes.some(isError), scenarios }, null, 2)}\n`
}

/** A warning is a skipped test case, because JUnit has no other word for it. */
export function junit (outcomes: readonly Outcome[]): string {
  const cases = outcomes.map(outcome => {
    const { id, title, result, reason, expected, seen, remedy } = outcome
    const message = result === 'failed' ? `expected: ${expected}; seen: ${seen}; remedy: ${remedy}` : reason ?? ''
    const inner = isError(outcome)
      ? `<failure message="${escaped(message)}"/>`
      : result === 'passed' ? '' : `<skipped message="${escaped(isWarning(outcome) ? `warning: ${message}` : message)}"/>`
    return `  <testcase classname="onlyoffice-emulator.check" name="${escaped(`${id}: ${title}`)}">${inner}</testcase>\n`
  })
  const failures = outcomes.filter(isError).length
  const skipped = outcomes.filter(outcome => outcome.result === 'skipped' || isWarning(outcome)).length
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="onlyoffice-emulator check" tests="${outcomes.length}" failures="${failures}" errors="0" skipped="${skipped}">\n${cases.join('')}</testsuite>\n`
}

function escaped (text: string): string {
  return text.replace(/[^\t\n\r\x20-\uFFFD]/g, '?').replace(/[&<>"\n\r]/g, letter => `&#${letter.charCodeAt(0)};`)
}
