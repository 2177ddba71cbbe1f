import { kinds } from '../failures.js'
import { html } from '../html.js'
import { page } from './layout.js'
import { clockText } from './texts.js'

/** @import { Html } from '../html.js' */
/** @import { Failures, Kind } from '../failures.js' */
/** @import { Document } from '../documents.js' */
/** @import { Visitor } from '../routes/request.js' */
/** @typedef {{ name: string, storedAt: Date | null }} Affected `storedAt`: `null` while it is not stored. */
/** @typedef {Omit<ReturnType<Failures['report']>, 'documents'> & { documents: readonly Affected[] }} Report */

/**
 * @param {object} content
 * @param {Report} content.report
 * @param {readonly Kind[]} content.offered
 * @param {Document | null} content.shown To type in.
 * @param {Visitor} content.visitor
 * @returns {Html}
 */
export function failuresPage ({ report, offered, shown, visitor }) {
  return page({
    title: 'Cause a failure',
    module: 'failures.js',
    className: 'beside',
    visitor,
    body: html`
<main class="panes failing" id="content" tabindex="-1">
  <section class="panel" aria-labelledby="failures-title">
    <h2 id="failures-title">Nothing is lost</h2>
    <p class="hint">Type in the document, cause a failure, go on typing or close it. Then end the failure.</p>
    <div data-live="failure">
      <ul class="failures" aria-label="Failures">${offered.map(kind => failure(kind, report))}</ul>
      <div class="outcome" data-outcome>${outcome(report)}</div>
    </div>
    <p class="offline" role="alert" data-problem></p>
    <p class="visually-hidden" role="status" data-status></p>
  </section>
  ${shown === null
    ? html`<p class="hint">There is no document to type in.</p>`
    : html`<iframe src="/edit/${shown.id}?user=${visitor.user.id}" title="${shown.name}"></iframe>`}
</main>`
  })
}

/**
 * @param {Kind} kind
 * @param {Report} report
 */
function failure (kind, { active }) {
  const { label, text } = kinds[kind]
  const isActive = active === kind
  return html`
<li${isActive ? html` class="active"` : null}>
  <button class="button ${isActive ? 'dangerous' : 'quiet'}" type="button" aria-describedby="failure-${kind}" data-failure="${isActive ? 'end' : kind}"${(active !== null && !isActive) || (isActive && kind === 'restart') ? html` disabled` : null}>${isActive && kind !== 'restart' ? `End: ${label}` : label}</button>
  <span class="hint" id="failure-${kind}">${text}</span>
</li>`
}

/** @param {Report} report */
function outcome ({ active, latest, documents }) {
  if (latest === null) return html`<p>Nothing has failed yet.</p>`
  const waiting = documents.filter(({ storedAt }) => storedAt === null).length
  return html`
<p><strong>${headline(active, waiting, documents.length)}</strong></p>
${documents.length === 0 ? null : html`<ul aria-label="Documents">${documents.map(each => affected(each, active))}</ul>`}
<p class="hint">${kinds[latest.kind].label} ${latest.to === null ? html`since ${time(latest.from)}` : html`from ${time(latest.from)} to ${time(latest.to)}`}</p>`
}

/**
 * @param {Affected} document
 * @param {Kind | null} active
 */
function affected ({ name, storedAt }, active) {
  return storedAt === null
    ? html`<li class="waiting"><span class="name">${name}</span><span>Not stored yet. ${active === null ? 'It is on its way.' : kinds[active].why}</span></li>`
    : html`<li class="stored"><span class="name">${name}</span><span>Stored again at ${time(storedAt)}</span></li>`
}

/**
 * @param {Kind | null} active
 * @param {number} waiting
 * @param {number} count Of all that the failure is about.
 */
function headline (active, waiting, count) {
  if (active !== null && waiting === 0) return `${kinds[active].label}. Type something in the document.`
  if (active !== null) return `${kinds[active].label}. ${waiting === 1 ? 'One document' : `${waiting} documents`} may have changes that are not stored.`
  if (waiting > 0) return 'It is over. What was kept is being stored …'
  return count === 0 ? 'It is over. Nothing had been changed.' : 'It is over, and nothing is lost.'
}

/** @param {Date} at */
function time (at) {
  return html`<time datetime="${at.toISOString()}" data-clock>${clockText(at)}</time>`
}
