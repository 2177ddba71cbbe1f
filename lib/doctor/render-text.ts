import { stripVTControlCharacters, styleText } from 'node:util'
import type { DoctorFinding, DoctorReport } from '../../types/doctor.js'
import { isError } from './findings.js'

/** How reports show each status, in the order of their importance. */
export const MARKS = {
  error: { icon: '✗', style: 'red', one: 'error', many: 'errors' },
  warning: { icon: '!', style: 'yellow', one: 'warning', many: 'warnings' },
  ok: { icon: '✓', style: 'green', one: 'ok', many: 'ok' },
  skipped: { icon: '–', style: 'gray', one: 'skipped', many: 'skipped' }
} as const

const MIN_WIDTH = 40
/** Longer lines are hard to read. */
const MAX_WIDTH = 100

/** Renders the report for a terminal of `width` columns. Problems come first, with their remedies. */
export function renderText (
  { healthy, findings, duration }: DoctorReport, { color, width }: { readonly color: boolean, readonly width: number }
): string {
  const columns = Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH)
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text

  function details ({ code, status, title, evidence, remedy }: DoctorFinding): string {
    const { icon, style } = MARKS[status]
    const heading = wrapped(`${title} [${code}]`, columns, `${icon} ${status.toUpperCase()} `, '  ')
    return [
      ...heading.map(line => paint(['bold', style], line)),
      ...remedy === undefined ? [] : wrapped(remedy, columns, '  Fix:  ', '        '),
      ...wrapped(evidence, columns, '  Seen: ', '        ').map(line => paint('dim', line))
    ].join('\n')
  }

  /** Summarizes findings with the same status and evidence. */
  function summary (alike: readonly [DoctorFinding, ...DoctorFinding[]]): string {
    const [{ status, evidence }] = alike
    const { icon, style } = MARKS[status]
    const titles = alike.map(({ code, title }) => `${title} [${code}]`).join('; ')
    const [first = '', ...rest] = wrapped(titles, columns, `${icon} `, '  ')
    const seen = wrapped(evidence, columns, '  ', '  ').map(line => paint('dim', line))
    return [paint(style, first.slice(0, icon.length)) + first.slice(icon.length), ...rest, ...seen].join('\n')
  }

  const { problems, others } = byImportance(findings)
  const verdict = `${verdictOf(healthy, findings)}: ${countsOf(findings)}, in ${durationText(duration)}`
  return [
    ...problems.map(details),
    ...others.length > 0 ? [groupsOf(others).map(summary).join('\n')] : [],
    paint(['bold', healthy ? 'green' : 'red'], verdict)
  ].join('\n\n') + '\n'
}

/** Errors come before warnings. */
export function byImportance (findings: readonly DoctorFinding[]) {
  const having = (status: DoctorFinding['status']) => findings.filter(finding => finding.status === status)
  const problems = [...having('error'), ...having('warning')]
  return { problems, others: findings.filter(finding => !problems.includes(finding)) }
}

/** Checks that were skipped for the same reason, such as an unreachable server, belong together. */
function groupsOf (findings: readonly DoctorFinding[]): Array<[DoctorFinding, ...DoctorFinding[]]> {
  const groups = new Map<string, [DoctorFinding, ...DoctorFinding[]]>()
  for (const finding of findings) {
    const id = finding.status === 'skipped' ? finding.evidence : finding.code
    const group = groups.get(id)
    if (group) group.push(finding)
    else groups.set(id, [finding])
  }
  return [...groups.values()]
}

export function verdictOf (healthy: boolean, findings: readonly DoctorFinding[]): string {
  if (healthy) return 'Healthy'
  return findings.some(isError) ? 'Not healthy' : 'Not finished'
}

/** Counts the findings, such as `1 error, 2 warnings, 9 ok`. */
export function countsOf (findings: readonly DoctorFinding[]): string {
  return Object.entries(MARKS).flatMap(([status, { one, many }]) => {
    const count = findings.filter(finding => finding.status === status).length
    return count === 0 && status !== 'error' ? [] : [`${count} ${count === 1 ? one : many}`]
  }).join(', ')
}

export function durationText (milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
}

/**
 * Breaks a text at spaces into lines that begin with `first`, the others with `hanging`. A word that is longer than a
 * line, such as a URL, stays whole, so that it can be copied.
 */
function wrapped (text: string, columns: number, first: string, hanging: string): string[] {
  const [word = '', ...words] = plain(text).split(/\s+/)
  const lines: string[] = []
  let line = first + word
  for (const word of words) {
    if (line.length + 1 + word.length <= columns) {
      line += ` ${word}`
    } else {
      lines.push(line)
      line = hanging + word
    }
  }
  return [...lines, line]
}

/** The document server and the senders of requests chose parts of the text. Nothing in it may control the terminal. */
function plain (text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()
}
