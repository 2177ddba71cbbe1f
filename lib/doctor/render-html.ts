import { createHash } from 'node:crypto'
import type { DoctorFinding, DoctorReport } from '../../types/doctor.js'
import { escapeHtml } from '../util/text.js'
import { isError } from './findings.js'
import { byImportance, countsOf, durationText, MARKS, verdictOf } from './render-text.js'

interface ReportPage {
  readonly report: DoctorReport
  /** The document to explain, if one was requested. */
  readonly opening?: { readonly fileId: string, readonly findings: readonly DoctorFinding[] }
}

const WORDS: Readonly<Record<DoctorFinding['status'], string>> = {
  error: 'Error', warning: 'Warning', ok: 'OK', skipped: 'Not checked'
}

const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f5f8; --sheet: #fff; --ink: #1d2530; --soft: #586374; --line: #dfe3ea; --accent: #2f5fb3;
  --error: #b3261e; --warning: #8a5300; --ok: #1c6f43; --skipped: #586374;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14181e; --sheet: #1c222b; --ink: #e6eaf0; --soft: #9ca8b8; --line: #2d3541; --accent: #86aef0;
    --error: #ff9b93; --warning: #f2bd6b; --ok: #7fd3a3; --skipped: #9ca8b8;
  }
}
* { box-sizing: border-box; }
body { max-width: 54rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; background: var(--page); color: var(--ink); overflow-wrap: anywhere; }
h1 { margin: 0 0 .25rem; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 2rem 0 .75rem; font-size: 1.15rem; }
h3 { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .75rem; margin: 0; font-size: 1rem; }
code { color: var(--soft); font: .85em ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-weight: 400; }
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.verdict { margin: 0; font-size: 1.15rem; font-weight: 600; }
.time { margin: .25rem 0 1rem; color: var(--soft); }
form { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; }
label { flex-basis: 100%; color: var(--soft); }
input { flex: 1 1 12rem; max-width: 26rem; padding: .4rem .6rem; border: 1px solid var(--soft); border-radius: 6px; background: var(--sheet); color: var(--ink); font: inherit; }
button { padding: .4rem 1rem; border: 1px solid transparent; border-radius: 6px; background: var(--accent); color: var(--sheet); font: inherit; font-weight: 600; cursor: pointer; }
ul { margin: 0; padding: 0; list-style: none; }
.finding { padding: .8rem 1rem; border: 1px solid var(--line); border-left: 4px solid var(--status); background: var(--sheet); }
.cards { display: grid; gap: .75rem; }
.cards .finding { border-radius: 8px; }
.compact { overflow: hidden; border-radius: 8px; }
.compact .finding { padding: .5rem 1rem .6rem; }
.compact .finding + .finding { border-top: 0; }
.compact p { color: var(--soft); font-size: .9rem; }
.error { --status: var(--error); }
.warning { --status: var(--warning); }
.ok { --status: var(--ok); }
.skipped { --status: var(--skipped); }
.status { color: var(--status); font-weight: 700; white-space: nowrap; }
.icon { display: inline-block; width: 1.1em; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem .9rem; margin: .5rem 0 0; }
dt { color: var(--soft); }
dd { margin: 0; }
.finding > p { margin: .15rem 0 0; }
@media (max-width: 30rem) {
  dl { display: block; }
  dd + dt { margin-top: .4rem; }
}
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

/** Renders the report as a page without scripts. Problems come first. */
export function renderHtml ({ report, opening }: ReportPage): string {
  const { findings, startedAt, duration } = report
  const all = [...findings, ...opening?.findings ?? []]
  const healthy = report.healthy && !all.some(isError)
  const verdict = verdictOf(healthy, all)
  const { problems, others } = byImportance(findings)
  const status = healthy ? 'ok' : 'error'
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${verdict} · Editor doctor</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Editor doctor</h1>
<p class="verdict ${status}"><span class="status">${iconOf(status)}${verdict}</span>: ${countsOf(all)}</p>
<p class="time">Examined at <time datetime="${escapeHtml(startedAt)}">${escapeHtml(startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC'))}</time> in ${durationText(duration)}. <a href="">Examine again</a></p>
<form method="get">
<label for="file-id">Which document does not open or is not saved?</label>
<input id="file-id" name="fileId" required placeholder="fileId" autocomplete="off" spellcheck="false" value="${escapeHtml(opening?.fileId ?? '')}">
<button>Explain</button>
</form>
</header>
<main>
${opening ? section(`Document ${opening.fileId}`, opening.findings) : ''}${section('What is wrong', problems)}${section(problems.length === 0 ? 'All checks' : 'Other checks', others, 'compact')}</main>
</body>
</html>
`
}

function section (title: string, findings: readonly DoctorFinding[], className = 'cards'): string {
  if (findings.length === 0) return ''
  return `<section>
<h2>${escapeHtml(title)}</h2>
<ul class="${className}">
${findings.map(item).join('\n')}
</ul>
</section>
`
}

function item ({ code, status, title, evidence, remedy }: DoctorFinding): string {
  const body = remedy === undefined
    ? `<p>${escapeHtml(evidence)}</p>`
    : `<dl><dt>To fix</dt><dd>${escapeHtml(remedy)}</dd><dt>Seen</dt><dd>${escapeHtml(evidence)}</dd></dl>`
  return `<li class="finding ${status}"><h3><span class="status">${iconOf(status)}${WORDS[status]}</span> ${escapeHtml(title)} <code>${escapeHtml(code)}</code></h3>${body}</li>`
}

function iconOf (status: DoctorFinding['status']): string {
  return `<span class="icon" aria-hidden="true">${MARKS[status].icon}</span>`
}
