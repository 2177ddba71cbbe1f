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
  const { id, name, fileType, kind, size, modifiedAt, revision, isFavorite } = document
  const dot = name.lastIndexOf('.')
  return html`
<tr id="document-${id}" data-id="${id}" data-name="${name}" data-base="${baseOf(name)}" data-file-type="${fileType}" data-favorite="${String(isFavorite)}">
  <td class="tick"><input class="select" type="checkbox" autocomplete="off" aria-label="Select ${name}" data-select></td>
  <td class="preview"${hasThumbnails ? html` data-thumbnail="/documents/${id}/thumbnail?revision=${hash(revision)}"` : null}><span class="icon" data-kind="${kind}">${fileType}</span></td>
  <th class="about" scope="row">
    <p class="name">${isFavorite ? html`<span class="star" role="img" aria-label="Favorite">${glyph('star')}</span> ` : null}<a href="/edit/${id}?user=${user.id}">${name.slice(0, dot)}<wbr>${name.slice(dot)}</a></p>
    ${editors.length > 0 ? presence(editors, user) : null}
  </th>
  <td class="size">${sizeText(size)}</td>
  <td class="changed"><time datetime="${modifiedAt.toISOString()}">${dateText(modifiedAt)}</time></td>
  <td class="more"><button class="icon-button" type="button" aria-haspopup="menu" aria-label="More for ${name}" data-more>${glyph('more')}</button></td>
</tr>`
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
