import { html } from '../html.js'
import { page } from './layout.js'

/** @import { Html } from '../html.js' */
/** @import { Visitor } from '../routes/request.js' */

/**
 * @param {{ title: string, text: string, visitor: Visitor }} content
 * @returns {Html}
 */
export function messagePage ({ title, text, visitor }) {
  return page({
    title,
    visitor,
    middle: null,
    body: html`
<main class="notice" id="content" tabindex="-1">
  <h1>${title}</h1>
  <p>${text}</p>
  <p><a class="button" href="/">Back to the documents</a></p>
</main>`
  })
}
