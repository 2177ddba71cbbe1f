import { html, trusted } from '../html.js'
import { page } from './layout.js'

/** @import { Html } from '../html.js' */
/** @import { Visitor } from '../routes/request.js' */

/**
 * Only the editor: it has a bar with the title, and its button Close leads back to the list.
 * @param {{ name: string, fragment: string, visitor: Visitor }} content `fragment`: the result of `control.render()`.
 * @returns {Html}
 */
export function editorPage ({ name, fragment, visitor }) {
  return page({
    title: name,
    module: 'edit.js',
    className: 'editing',
    visitor,
    hasBar: false,
    body: html`<main class="stage"><h1 class="visually-hidden">${name}</h1>${trusted(fragment)}</main>`
  })
}
