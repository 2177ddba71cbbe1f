import { html, trusted } from '../html.js'
import { glyph } from './glyphs.js'
import { page } from './layout.js'

/** @import { Html } from '../html.js' */
/** @import { Preferences } from '../preferences.js' */
/** @import { User } from '../users.js' */

/**
 * @param {{ name: string, user: User, fragment: string, preferences: Preferences }} content `fragment`: the result of
 *   `control.render()`.
 * @returns {Html}
 */
export function editorPage ({ name, user, fragment, preferences }) {
  return page({
    title: name,
    module: 'edit.js',
    className: 'editing',
    preferences,
    body: html`
<header class="bar" data-user="${user.id}">
  <a class="back" href="/?user=${user.id}" data-onlyoffice-close>${glyph('back')}Documents</a>
  <h1>${name}</h1>
  <p class="status" role="status" data-status></p>
  <button class="button quiet" type="button" data-download disabled>Download<span class="wide">&nbsp;current version</span></button>
</header>
<main class="stage">${trusted(fragment)}</main>`
  })
}
