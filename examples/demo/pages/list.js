import { html } from '../html.js'
import { columns, nextDirection } from '../sorting.js'
import { KEPT_DAYS } from '../documents.js'
import { dialogs, menu } from './dialogs.js'
import { glyph } from './glyphs.js'
import { page } from './layout.js'
import { row } from './row.js'
import { dateText } from './texts.js'

/** @import { Html } from '../html.js' */
/** @import { Visitor } from '../routes/request.js' */
/** @import { Document } from '../documents.js' */
/** @import { Entry } from '../catalogue.js' */
/** @import { Message } from '../messages.js' */
/** @import { Column, Sort } from '../sorting.js' */

/**
 * @param {object} content
 * @param {readonly Document[]} content.documents
 * @param {ReadonlyMap<string, readonly string[]>} content.editors
 * @param {readonly Entry[]} content.deleted
 * @param {readonly Message[]} content.messages
 * @param {Visitor} content.visitor
 * @param {boolean} content.hasThumbnails
 * @returns {Html}
 */
export function listPage ({ documents, editors, deleted, messages, visitor, hasThumbnails }) {
  const { user, preferences: { sort, view } } = visitor
  return page({
    title: 'Documents',
    module: 'list.js',
    className: 'listing',
    visitor,
    middle: searchField(),
    body: html`
<main class="list" id="content" tabindex="-1">
  <p class="offline" role="alert" data-offline></p>
  <div class="messages" data-live="messages">${messages.map(message)}</div>
  <div class="toolbar">
    <button class="button" type="button" aria-haspopup="dialog" data-new>${glyph('plus')}New</button>
    <input class="visually-hidden" type="file" id="upload" multiple data-upload>
    <label class="button quiet" for="upload">${glyph('upload')}Upload</label>
    <p class="hint">or drop files anywhere on this page</p>
    <button class="icon-button" type="button" aria-pressed="${String(view === 'grid')}" aria-label="Large previews" title="Large previews" data-view-switch>${glyph('grid')}</button>
  </div>
  <p class="hint tries">Try <a href="/two?user=${user.id}">two users side by side</a>${visitor.isLocal ? html`, or <a href="/failures?user=${user.id}">cause a failure</a> and see that nothing is lost` : null}.</p>
  <section class="uploads" aria-labelledby="uploads-title" hidden data-uploads>
    <div class="uploads-head"><h2 id="uploads-title">Uploads</h2><button class="action" type="button" data-uploads-clear>Close</button></div>
    <ul></ul>
  </section>
  <h1 class="visually-hidden" id="documents-title">All documents</h1>
  <table class="documents" tabindex="-1" aria-labelledby="documents-title" data-view="${view}" data-documents>
    <thead>
      <tr id="headings"><td></td>${Object.keys(columns).map(column => heading(/** @type {Column} */ (column), sort))}<td></td></tr>
    </thead>
    <tbody>${documents.map(document => row(document, { user, editors: editors.get(document.id) ?? [], hasThumbnails }))}</tbody>
  </table>
  <div class="empty" data-empty="none"${documents.length > 0 ? html` hidden` : null}>
    <span class="empty-art" aria-hidden="true"></span>
    <h2>No documents yet</h2>
    <p>Start a new one, or drop files on this page.</p>
  </div>
  <div class="empty" data-empty="search" hidden>
    <h2>Nothing found</h2>
    <p>No document is called <q data-empty-term></q>.</p>
    <p><button class="button quiet" type="button" data-search-clear>Show all documents</button></p>
  </div>
  <section class="selection" aria-label="Selection" hidden data-selection>
    <p role="status" data-selection-text></p>
    <button class="button dangerous" type="button" data-selection-remove>Move to bin</button>
    <button class="button quiet" type="button" data-selection-clear>Clear</button>
  </section>
  <div data-live="deleted">${deleted.length > 0 ? bin(deleted) : null}</div>
  <p class="visually-hidden" role="status" data-status></p>
  <div class="toasts" data-toasts></div>
  <div class="drop" hidden data-drop><p>Drop files to upload them</p></div>
  ${menu()}
</main>
${dialogs()}`
  })
}

function searchField () {
  return html`
<search class="search">
  <label class="visually-hidden" for="search">Search documents</label>
  ${glyph('search')}
  <input type="search" id="search" placeholder="Search" autocomplete="off" spellcheck="false" data-search>
</search>`
}

/**
 * @param {Column} column
 * @param {Sort} sort
 */
function heading (column, sort) {
  return html`<th scope="col"${column === sort.column ? html` aria-sort="${sort.direction}"` : null}><button class="action" type="button" data-sort="${column}-${nextDirection(column, sort)}">${columns[column].label}</button></th>`
}

/** @param {Message} message */
function message ({ id, from, what, document, text, url, at }) {
  return html`
<div class="message" data-message="${id}">
  <p><strong>${from}</strong> ${what} <a href="${url}">${document.name}</a> <time datetime="${at.toISOString()}">${dateText(at)}</time></p>
  <p class="quote">${text}</p>
  <button class="action" type="button" aria-label="Dismiss the message from ${from}" data-dismiss>Dismiss</button>
</div>`
}

/** @param {readonly Entry[]} deleted */
function bin (deleted) {
  return html`
<details class="bin">
  <summary>Bin (${deleted.length})</summary>
  <p class="hint">Deleted for good after ${KEPT_DAYS} days.</p>
  <ul aria-label="Bin">${deleted.map(({ id, name }) => html`
    <li data-id="${id}" data-name="${name}"><span class="name">${name}</span> <span class="actions"><button class="action" type="button" aria-label="Restore ${name}" data-restore>Restore</button><button class="action danger" type="button" aria-label="Delete ${name} for good" data-purge>Delete for good</button></span></li>`)}
  </ul>
</details>`
}
