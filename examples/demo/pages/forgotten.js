import { html } from '../html.js'
import { page } from './layout.js'

/** @import { RecoveredFile } from 'fastify-onlyoffice' */
/** @import { Html } from '../html.js' */
/** @import { Visitor } from '../routes/request.js' */

/** @type {Record<RecoveredFile['outcome'], string>} */
const OUTCOMES = {
  recoverable: 'Can be stored now. If the document was changed meanwhile, it becomes a second document.',
  stored: 'Stored: it is the content of the document now.',
  conflict: 'Stored as a second document, because the document was changed meanwhile.',
  'already-stored': 'Nothing to do: the same content is stored already.',
  'handed-over': 'Stored as a new document, because its document was deleted.',
  'no-document': 'Its document was deleted. It is stored as a new one.',
  'being-edited': 'Somebody has this document open. It is saved when they close it.',
  foreign: 'It belongs to another application.',
  gone: 'Nothing to do: it was saved meanwhile.',
  failed: 'It could not be stored. The document server still has it: try again later.'
}

/**
 * @param {object} content
 * @param {ReadonlyArray<RecoveredFile & { name: string }>} content.files
 * @param {boolean} content.isDone Whether they were just stored.
 * @param {Visitor} content.visitor
 * @returns {Html}
 */
export function forgottenPage ({ files, isDone, visitor }) {
  const canStore = files.some(({ outcome }) => outcome === 'recoverable' || outcome === 'no-document')
  return page({
    title: 'Saves that did not arrive',
    module: 'forgotten.js',
    visitor,
    body: html`
<main class="list narrow" id="content" tabindex="-1">
  <p>When this application does not take a save, because it is not running or its disk is full, the document server keeps it. The save comes back when somebody opens the document again. You can also store it here.</p>
  ${isDone ? html`<h2 tabindex="-1" data-result>What became of them</h2>` : html`<h2>${files.length === 0 ? 'Nothing is waiting' : 'Waiting at the document server'}</h2>`}
  ${files.length === 0 ? html`<p class="hint">Every save has arrived.</p>` : html`<ul class="cards" aria-label="Saves">${files.map(file)}</ul>`}
  <p class="status" role="status" data-status></p>
  ${canStore ? html`<p><button class="button" type="button" data-recover>Store them</button></p>` : null}
</main>`
  })
}

/** @param {RecoveredFile & { name: string }} file */
function file ({ name, outcome }) {
  return html`<li class="card"><p class="name">${name}</p><p class="hint">${OUTCOMES[outcome]}</p></li>`
}
