import { html, trusted } from './html.js'
import { acceptedExtensions } from './formats.js'
import { users } from './users.js'

/** @typedef {import('./html.js').Html} Html */
/** @typedef {import('./users.js').User} User */
/** @typedef {{ id: string, name: string, extension: string, kind: string, size: number, modifiedAt: Date }} ListedDocument */

/**
 * @param {{ documents: readonly ListedDocument[], user: User, doctorPath: string | null }} content
 * @returns {Html}
 */
export function listPage ({ documents, user, doctorPath }) {
  return page({
    title: 'Documents',
    module: 'list.js',
    body: html`
<header class="top">
  <h1>Documents</h1>
  <nav class="users" aria-label="Edit as">
    <span class="users-label" aria-hidden="true">Edit as</span>
    ${users.map(({ id, name }) => html`<a href="/?user=${id}" ${id === user.id ? trusted('aria-current="true"') : null}>${name}</a>`)}
  </nav>
</header>
<main class="list">
  <div class="upload" data-drop>
    <input class="visually-hidden" type="file" id="upload" multiple accept="${acceptedExtensions}" data-upload>
    <label class="button" for="upload">Upload</label>
    <p>or drop files anywhere on this page</p>
    <p class="status" role="status" data-status></p>
  </div>
  <ul class="documents" aria-label="Documents" data-documents>${documents.map(document => listItem(document, user))}</ul>
  ${doctorPath ? html`<p class="doctor">A document does not open, or is not saved? <a href="${doctorPath}">Ask the doctor</a></p>` : null}
</main>`
  })
}

/**
 * @param {ListedDocument} document
 * @param {User} user
 * @returns {Html}
 */
function listItem ({ id, name, extension, kind, size, modifiedAt }, user) {
  return html`
<li id="document-${id}">
  <span class="icon" data-kind="${kind}" aria-hidden="true">${extension}</span>
  <div class="about">
    <a class="name" href="/edit/${id}?user=${user.id}">${name}</a>
    <p class="facts"><span>${sizeText(size)}</span> <span><span class="wide">changed </span><time datetime="${modifiedAt.toISOString()}">${dateText(modifiedAt)}</time></span></p>
  </div>
  <div class="actions">
    <a href="/edit/${id}?user=${user.id}" aria-label="Open ${name}">Open</a>
    <a href="/documents/${id}/download" aria-label="Download ${name}">Download</a>
    <a href="/documents/${id}/pdf" aria-label="${name} as PDF">As PDF</a>
  </div>
</li>`
}

/**
 * @param {{ name: string, user: User, fragment: string }} content `fragment`: the result of `control.render()`.
 * @returns {Html}
 */
export function editorPage ({ name, user, fragment }) {
  return page({
    title: name,
    module: 'edit.js',
    className: 'editing',
    body: html`
<header class="bar">
  <a class="back" href="/?user=${user.id}">Documents</a>
  <h1>${name}</h1>
  <p class="status" role="status" data-status></p>
  <button class="button quiet" type="button" data-download="${name}" disabled>Download<span class="wide"> current version</span></button>
</header>
<main class="stage">${trusted(fragment)}</main>`
  })
}

/**
 * @param {{ title: string, text: string }} content
 * @returns {Html}
 */
export function messagePage ({ title, text }) {
  return page({
    title,
    body: html`
<main class="message">
  <h1>${title}</h1>
  <p>${text}</p>
  <p><a class="button" href="/">Back to the documents</a></p>
</main>`
  })
}

/**
 * @param {{ title: string, body: Html, module?: string, className?: string }} content
 * @returns {Html}
 */
function page ({ title, body, module, className = '' }) {
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/public/icon.svg">
<link rel="stylesheet" href="/public/style.css">
${module ? html`<script type="module" src="/public/${module}"></script>` : null}
</head>
<body class="${className}">${body}
</body>
</html>
`
}

/** @param {number} bytes */
function sizeText (bytes) {
  if (bytes < 1000) return `${bytes} bytes`
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB']
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** @param {Date} date */
function dateText (date) {
  return `${dates.format(date)} UTC`
}
