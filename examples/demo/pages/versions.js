import { html } from '../html.js'
import { page } from './layout.js'
import { dateText } from './texts.js'

/** @import { Html } from '../html.js' */
/** @import { Visitor } from '../routes/request.js' */
/** @import { Document } from '../documents.js' */
/** @typedef {{ number: number, at: Date, authors: string, restored?: number | undefined }} ListedVersion */

/**
 * @param {object} content
 * @param {Document} content.document
 * @param {ListedVersion | null} content.present
 * @param {readonly ListedVersion[]} content.earlier The newest first.
 * @param {Visitor} content.visitor
 * @returns {Html}
 */
export function versionsPage ({ document: { id, name }, present, earlier, visitor }) {
  return page({
    title: `Versions of ${name}`,
    module: 'versions.js',
    visitor,
    middle: html`<h1>${name}</h1>`,
    body: html`
<main class="list narrow" id="content" tabindex="-1">
  <h2>Versions</h2>
  <p class="hint">A version is kept each time the document is saved. To see what was changed, open the document and choose “Version history” there.</p>
  <p class="status" role="status" data-status></p>
  <ol class="cards" aria-label="Versions" data-versions="${id}">
    ${present ? item(present, { what: 'The document now', actions: html`<a class="action" href="/edit/${id}?user=${visitor.user.id}">Open</a>` }) : null}
    ${earlier.map(version => item(version, { what: `Version ${version.number}`, actions: actionsOf(id, version) }))}
  </ol>
  ${earlier.length === 0 ? html`<p class="hint">There are no earlier versions yet.</p>` : null}
</main>`
  })
}

/**
 * @param {ListedVersion} version
 * @param {{ what: string, actions: Html }} content
 */
function item ({ at, authors, restored }, { what, actions }) {
  return html`
<li class="card">
  <div>
    <p class="name"><time datetime="${at.toISOString()}">${dateText(at)}</time></p>
    <p class="hint">${what}${authors === '' ? '' : ` · ${authors}`}${restored === undefined ? '' : ` · restored from version ${restored}`}</p>
  </div>
  <p class="actions">${actions}</p>
</li>`
}

/**
 * @param {string} id
 * @param {ListedVersion} version
 */
function actionsOf (id, { number }) {
  return html`<a class="action" href="/documents/${id}/versions/${number}" aria-label="Download version ${number}">Download</a><button class="action" type="button" aria-label="Restore version ${number}" data-restore-version="${number}">Restore</button>`
}
