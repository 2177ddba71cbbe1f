import { stripVTControlCharacters, styleText } from 'node:util'
import type { DoctorFinding, DoctorReport } from '../../types/doctor.js'
import { isError } from './findings.js'

export interface TextFormat {
  readonly color: boolean
  /** Columns of the terminal. */
  readonly width: number
}

type Status = DoctorFinding['status']
type Style = Parameters<typeof styleText>[0]

const MARKS: Readonly<Record<Status, { readonly icon: string, readonly style: Style }>> = {
  error: { icon: '✗', style: 'red' },
  warning: { icon: '!', style: 'yellow' },
  ok: { icon: '✓', style: 'green' },
  skipped: { icon: '–', style: 'gray' }
}

const MIN_WIDTH = 40
/** Longer lines are hard to read. */
const MAX_WIDTH = 100
const INDENT = '  '

/** Renders the report for a terminal. Problems come first, with their remedies. */
export function renderText ({ healthy, findings, duration }: DoctorReport, { color, width }: TextFormat): string {
  const columns = Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH)
  const paint = (style: Style, text: string) => color ? styleText(style, text, { validateStream: false }) : text

  function details ({ code, status, title, evidence, remedy }: DoctorFinding): string {
    const { icon, style } = MARKS[status]
    const lines = [
      ...wrapped(`${title} [${code}]`, columns, { first: `${icon} ${status.toUpperCase()} `, hanging: INDENT })
        .map(line => paint(['bold', style].flat() as Style, line)),
      ...remedy === undefined ? [] : wrapped(remedy, columns, { first: `${INDENT}Fix:  `, hanging: `${INDENT}      ` }),
      ...wrapped(evidence, columns, { first: `${INDENT}Seen: `, hanging: `${INDENT}      ` }).map(line =>
        paint('dim', line)
      )
    ]
    return lines.join('\n')
  }

  /** Summarizes findings with the same status and evidence. */
  function summary (alike: readonly [DoctorFinding, ...DoctorFinding[]]): string {
    const [{ status, evidence }] = alike
    const { icon, style } = MARKS[status]
    const titles = alike.map(({ code, title }) => `${title} [${code}]`).join('; ')
    const [first = '', ...rest] = wrapped(titles, columns, { first: `${icon} `, hanging: INDENT })
    const seen = wrapped(evidence, columns, { first: INDENT, hanging: INDENT }).map(line => paint('dim', line))
    return [paint(style, first.slice(0, icon.length)) + first.slice(icon.length), ...rest, ...seen].join('\n')
  }

  const having = (status: Status) => findings.filter(finding => finding.status === status)
  const problems = [...having('error'), ...having('warning')]
  const others = findings.filter(({ status }) => status === 'ok' || status === 'skipped')
  const verdict = `${verdictOf(healthy, findings)}: ${countsOf(findings)}, in ${durationText(duration)}`
  return [
    ...problems.map(details),
    ...others.length > 0 ? [groupsOf(others).map(summary).join('\n')] : [],
    paint(['bold', healthy ? 'green' : 'red'] as Style, verdict)
  ].join('\n\n') + '\n'
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
  const words: ReadonlyArray<readonly [Status, string, string]> = [
    ['error', 'error', 'errors'],
    ['warning', 'warning', 'warnings'],
    ['ok', 'ok', 'ok'],
    ['skipped', 'skipped', 'skipped']
  ]
  return words.flatMap(([status, one, many]) => {
    const count = findings.filter(finding => finding.status === status).length
    return count === 0 && status !== 'error' ? [] : [`${count} ${count === 1 ? one : many}`]
  }).join(', ')
}

export function durationText (milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
}

/** Breaks a text at spaces. A word that is longer than a line, such as a URL, stays whole, so that it can be copied. */
function wrapped (
  text: string,
  columns: number,
  { first, hanging }: { readonly first: string, readonly hanging: string }
): string[] {
  const lines: string[] = []
  let line = first
  let isEmpty = true
  for (const word of plain(text).split(/\s+/)) {
    if (!isEmpty && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = hanging
      isEmpty = true
    }
    line += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...lines, line]
}

/** The document server and the senders of requests chose parts of the text. Nothing in it may control the terminal. */
function plain (text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()
}
