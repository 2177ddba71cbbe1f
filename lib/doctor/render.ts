import { createHash } from 'node:crypto'
import { stripVTControlCharacters } from 'node:util'
import type { DoctorFinding, DoctorReport } from '../../types/doctor.js'
import { escapeHtml } from '../util/text.js'
import { isError } from './findings.js'

/** How reports show each status, in the order of their importance. */
const MARKS = {
  error: { icon: '✗', style: 'red', word: 'Error' },
  warning: { icon: '!', style: 'yellow', word: 'Warning' },
  ok: { icon: '✓', style: 'green', word: 'OK' },
  skipped: { icon: '–', style: 'gray', word: 'Not checked' }
} as const

/** Paints a text in a terminal. */
export type Paint = (style: typeof MARKS[keyof typeof MARKS]['style'], text: string) => string

/** Renders the report for a terminal. Problems come first, with their remedies. */
export function renderText (report: DoctorReport, paint: Paint = (_style, text) => text): string {
  const { problems, others } = byImportance(report.findings)
  const lines = [...problems, ...others].map(({ code, status, title, evidence, remedy }) => [
    paint(MARKS[status].style, `${MARKS[status].icon} ${plain(title)} [${code}]`),
    ...remedy === undefined ? [] : [`  Fix:  ${plain(remedy)}`],
    paint('gray', `  Seen: ${plain(evidence)}`)
  ].join('\n'))
  return `${[...lines, `${verdictOf(report)}: ${summaryOf(report)}`].join('\n')}\n`
}

/** The document server and the senders of requests chose parts of the text. Nothing in it may control the terminal. */
function plain (text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()
}

/** Errors come before warnings. */
function byImportance (findings: readonly DoctorFinding[]) {
  const having = (status: DoctorFinding['status']) => findings.filter(finding => finding.status === status)
  const problems = [...having('error'), ...having('warning')]
  return { problems, others: findings.filter(finding => !problems.includes(finding)) }
}

function verdictOf ({ healthy, findings }: Pick<DoctorReport, 'healthy' | 'findings'>): string {
  if (healthy) return 'Healthy'
  return findings.some(isError) ? 'Not healthy' : 'Not finished'
}

/** Counts the findings, such as `1 error, 2 warning, 9 ok`. */
function summaryOf ({ findings, durationMs }: Pick<DoctorReport, 'durationMs' | 'findings'>): string {
  const counts = Object.keys(MARKS).flatMap(status => {
    const count = findings.filter(finding => finding.status === status).length
    return count === 0 ? [] : [`${count} ${status}`]
  })
  return `${counts.join(', ')}, in ${durationMs} ms`
}

const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f5f8; --sheet: #fff; --ink: #1d2530; --soft: #586374; --line: #dfe3ea; --accent: #2f5fb3;
  --error: #b3261e; --warning: #8a5300; --ok: #1c6f43; --skipped: #586374;
  font: 16px/1.5 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14181e; --sheet: #1c222b; --ink: #e6eaf0; --soft: #9ca8b8; --line: #2d3541; --accent: #86aef0;
    --error: #ff9b93; --warning: #f2bd6b; --ok: #7fd3a3; --skipped: #9ca8b8;
  }
}
* { box-sizing: border-box; }
body { max-width: 54rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; background: var(--page); color: var(--ink); overflow-wrap: anywhere; }
h1, h3 { margin: 0; line-height: 1.3; }
h3 { font-size: 1rem; }
code { color: var(--soft); font: .85em ui-monospace, monospace; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
label { display: block; color: var(--soft); }
input, button { padding: .4rem .6rem; border: 1px solid var(--soft); border-radius: 6px; background: var(--sheet); color: var(--ink); font: inherit; }
input { width: 60%; }
ul { display: grid; gap: .6rem; margin: 0; padding: 0; list-style: none; }
li { padding: .6rem 1rem; border: 1px solid var(--line); border-left: 4px solid var(--status); border-radius: 6px; background: var(--sheet); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem .9rem; margin: .3rem 0 0; }
dt, time { color: var(--soft); }
dd { margin: 0; }
.error { --status: var(--error); }
.warning { --status: var(--warning); }
.ok { --status: var(--ok); }
.skipped { --status: var(--skipped); }
.status { color: var(--status); font-weight: 700; }
`

/** The page's policy allows only its own style. Nobody may embed the page. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:', // an empty icon, so that the browser does not ask the application for one
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'"
].join('; ')

/**
 * Renders the report as a page without scripts. Problems come first, and before them the explanation of a document, if
 * there is one.
 */
export function renderHtml (report: DoctorReport, fileId = '', explanation: readonly DoctorFinding[] = []): string {
  const findings = [...report.findings, ...explanation]
  const whole = { ...report, findings, healthy: report.healthy && !findings.some(isError) }
  const { problems, others } = byImportance(report.findings)
  const verdict = verdictOf(whole)
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${verdict} · Editor doctor</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Editor doctor</h1>
<p class="${whole.healthy ? 'ok' : 'error'}"><strong class="status">${verdict}</strong>: ${summaryOf(whole)}, <time>${escapeHtml(report.startedAt)}</time>. <a href="">Examine again</a></p>
<form method="get">
<label for="file-id">Which document does not open or is not saved?</label>
<input id="file-id" name="fileId" required placeholder="fileId" autocomplete="off" spellcheck="false" value="${escapeHtml(fileId)}">
<button>Explain</button>
</form>
</header>
<main>
${section(`Document ${fileId}`, explanation)}${section('What is wrong', problems)}${section(problems.length === 0 ? 'All checks' : 'Other checks', others)}</main>
</body>
</html>
`
}

function section (title: string, findings: readonly DoctorFinding[]): string {
  return findings.length === 0 ? '' : `<h2>${escapeHtml(title)}</h2>\n<ul>\n${findings.map(item).join('\n')}\n</ul>\n`
}

function item ({ code, status, title, evidence, remedy }: DoctorFinding): string {
  const { icon, word } = MARKS[status]
  const fix = remedy === undefined ? '' : `<dt>To fix</dt><dd>${escapeHtml(remedy)}</dd>`
  return `<li class="${status}"><h3><span class="status"><span aria-hidden="true">${icon}</span> ${word}</span> ${escapeHtml(title)} <code>${escapeHtml(code)}</code></h3>
<dl>${fix}<dt>Seen</dt><dd>${escapeHtml(evidence)}</dd></dl></li>`
}
