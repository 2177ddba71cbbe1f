import { html, trusted } from '../html.js'
import { baseOf } from '../formats.js'
import { hash } from '../thumbnails.js'
import { portraitOf, users } from '../users.js'
import { glyph } from './glyphs.js'
import { dateText, listText, sizeText } from './texts.js'

/** @import { Html } from '../html.js' */
/** @import { User } from '../users.js' */
/** @import { Document } from '../documents.js' */

/**
 * A document in the list. The script keeps a row as it is until its HTML changes.
 * @param {Document} document
 * @param {{ user: User, editors: readonly string[], hasThumbnails: boolean }} options
 * @returns {Html}
 */
export function row (document, { user, editors, hasThumbnails }) {
  const { id, name, fileType, size, modifiedAt, revision, isFavorite } = document
  const query = `?user=${user.id}`
  const dot = name.lastIndexOf('.')
  return html`
<li id="document-${id}" data-id="${id}" data-name="${name}" data-base="${baseOf(name)}" data-file-type="${fileType}" data-favorite="${String(isFavorite)}">
  <input class="select" type="checkbox" autocomplete="off" aria-label="Select ${name}" data-select>
  <span class="preview" aria-hidden="true"${hasThumbnails ? html` data-thumbnail="/documents/${id}/thumbnail?revision=${hash(revision)}"` : null}>${icon(document)}</span>
  <div class="about">
    <p class="name">${isFavorite ? html`<span class="star" role="img" aria-label="Favorite">${glyph('star')}</span> ` : null}<a href="/edit/${id}${query}">${name.slice(0, dot)}<wbr>${name.slice(dot)}</a></p>
    <p class="facts"><span>${sizeText(size)}</span> <span><span class="wide">changed </span><time datetime="${modifiedAt.toISOString()}">${dateText(modifiedAt)}</time></span></p>
    ${editors.length > 0 ? presence(editors, user) : null}
  </div>
  <div class="actions">
    <a class="action wide" href="/edit/${id}${query}&mode=view" aria-label="View ${name}">View</a>
    <a class="action wide" href="/documents/${id}/download" aria-label="Download ${name}">Download</a>
    <button class="icon-button" type="button" aria-haspopup="menu" aria-label="More for ${name}" data-more>${glyph('more')}</button>
  </div>
</li>`
}

/** @param {{ fileType: string, kind: string }} document */
function icon ({ fileType, kind }) {
  return html`<span class="icon" data-kind="${kind}">${fileType}</span>`
}

/**
 * @param {readonly string[]} editors
 * @param {User} user
 */
function presence (editors, user) {
  const known = users.filter(({ id }) => editors.includes(id))
  const names = known.map(({ id, name }) => id === user.id ? 'You' : name)
  const others = editors.length - known.length
  if (others > 0) names.push(others === 1 ? 'somebody else' : `${others} others`)
  const isOne = names.length === 1 && names[0] !== 'You'
  return html`<p class="presence"><span class="avatars">${known.map(each => trusted(portraitOf(each)))}</span> ${listText(names)} ${isOne ? 'is' : 'are'} editing</p>`
}
