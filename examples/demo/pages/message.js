import { html } from '../html.js'
import { page } from './layout.js'

/** @import { Html } from '../html.js' */
/** @import { Preferences } from '../preferences.js' */

/**
 * @param {{ title: string, text: string, preferences: Preferences }} content
 * @returns {Html}
 */
export function messagePage ({ title, text, preferences }) {
  return page({
    title,
    preferences,
    body: html`
<main class="notice">
  <h1>${title}</h1>
  <p>${text}</p>
  <p><a class="button" href="/">Back to the documents</a></p>
</main>`
  })
}
