import { html, trusted } from '../html.js'
import { page } from './layout.js'

/** @import { Html } from '../html.js' */
/** @import { Visitor } from '../routes/request.js' */

/**
 * @param {{ name: string, fragment: string, visitor: Visitor }} content `fragment`: the result of `control.render()`.
 * @returns {Html}
 */
export function editorPage ({ name, fragment, visitor }) {
  return page({
    title: name,
    module: 'edit.js',
    className: 'editing',
    visitor,
    middle: html`
  <h1>${name}</h1>
  <p class="status" role="status" data-status></p>
  <button class="button quiet" type="button" data-download disabled>Download<span class="wide">&nbsp;current version</span></button>`,
    body: html`<main class="stage" id="content" tabindex="-1">${trusted(fragment)}</main>`
  })
}
