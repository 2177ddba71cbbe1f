import { html } from '../html.js'
import { page } from './layout.js'

/** @import { Html } from '../html.js' */
/** @import { Document } from '../documents.js' */
/** @import { User } from '../users.js' */
/** @import { Visitor } from '../routes/request.js' */

/**
 * One document in the editors of two users.
 * @param {{ document: Document, both: readonly User[], visitor: Visitor }} content
 * @returns {Html}
 */
export function twoPage ({ document: { id, name }, both, visitor }) {
  return page({
    title: `Two users: ${name}`,
    className: 'beside',
    visitor,
    body: html`
<main class="panes" id="content" tabindex="-1">
  ${both.map(user => html`<iframe src="/edit/${id}?user=${user.id}" title="${name}, edited by ${user.name}"></iframe>`)}
</main>`
  })
}
