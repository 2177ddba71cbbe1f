import { blankFileTypes } from 'fastify-onlyoffice'
import { formatName, kindOf } from '../formats.js'
import { html } from '../html.js'

/** @import { Html } from '../html.js' */

/** The menu of a document. The script fills in which one. */
export function menu () {
  return html`
<div class="menu" role="menu" popover aria-label="More" data-menu>
  <a role="menuitem" tabindex="-1" data-item="edit">Open</a>
  <a role="menuitem" tabindex="-1" data-item="view">View only</a>
  <a role="menuitem" tabindex="-1" data-item="two">Open as two users</a>
  <a role="menuitem" tabindex="-1" data-item="versions">Version history</a>
  <hr role="separator">
  <a role="menuitem" tabindex="-1" data-item="download">Download</a>
  <button role="menuitem" tabindex="-1" type="button" data-item="pdf">Show as PDF</button>
  <button role="menuitem" tabindex="-1" type="button" data-item="convert">Convert…</button>
  <hr role="separator">
  <button role="menuitem" tabindex="-1" type="button" data-item="favorite">Add to favorites</button>
  <button role="menuitem" tabindex="-1" type="button" data-item="rename">Rename…</button>
  <button role="menuitem" tabindex="-1" type="button" data-item="copy">Make a copy</button>
  <button role="menuitem" tabindex="-1" type="button" class="danger" data-item="delete">Move to bin…</button>
</div>`
}

/**
 * The dialogs of the list. Scripts fill in which document they are about.
 * @returns {Html}
 */
export function dialogs () {
  return html`
${dialog({
  name: 'new',
  title: 'New document',
  action: 'Create',
  fields: html`
  <fieldset class="formats">
    <legend>Kind</legend>
    ${blankFileTypes.map((fileType, position) => html`<label class="format"><input type="radio" name="format" value="${fileType}"${position === 0 ? html` checked` : null}><span class="icon" data-kind="${kindOf(fileType)}" aria-hidden="true">${fileType}</span><span>${formatName(fileType)}</span></label>`)}
  </fieldset>
  ${nameField('new', 'Untitled')}`
})}
${dialog({ name: 'rename', title: 'Rename', action: 'Rename', fields: nameField('rename') })}
${dialog({
  name: 'convert',
  title: 'Convert',
  action: 'Download',
  second: 'Add to the documents',
  takesLong: true,
  fields: html`<p class="field"><label for="convert-format">Format</label><select id="convert-format" name="format" required></select></p>`
})}
${dialog({ name: 'pdf', title: 'Show as PDF', action: 'Try again', takesLong: true })}
${dialog({ name: 'delete', title: 'Move to bin', action: 'Move to bin', isDangerous: true, fields: html`<p data-text></p>` })}
${dialog({ name: 'purge', title: 'Delete for good', action: 'Delete for good', isDangerous: true, fields: html`<p>This can't be undone.</p>` })}`
}

/**
 * The server says why it refuses a name, and the dialog shows it where all problems are.
 * @param {string} dialog
 * @param {string} [value]
 */
function nameField (dialog, value = '') {
  return html`<p class="field"><label for="${dialog}-name">Name</label><span class="with-suffix"><input id="${dialog}-name" name="name" value="${value}" autocomplete="off" aria-describedby="${dialog}-problem"><span class="suffix" data-suffix></span></span></p>`
}

/**
 * @param {object} content
 * @param {string} content.name
 * @param {string} content.title
 * @param {string} content.action
 * @param {Html | null} [content.fields]
 * @param {boolean} [content.isDangerous]
 * @param {boolean} [content.takesLong] Shows that something is being done, which the user can cancel.
 * @param {string} [content.second] Another action.
 * @returns {Html}
 */
function dialog ({ name, title, action, fields = null, isDangerous = false, takesLong = false, second = '' }) {
  return html`
<dialog class="dialog" aria-labelledby="${name}-title" data-dialog="${name}">
  <form novalidate>
    <h2 id="${name}-title" data-title="${title}">${title}</h2>
    ${fields}
    <p class="problem" role="alert" id="${name}-problem" data-problem></p>
    ${takesLong ? html`<p role="status" data-working></p><progress aria-label="${title}" hidden></progress>` : null}
    <p class="buttons">
      <button class="button quiet" type="button" data-cancel>Cancel</button>
      ${second === '' ? null : html`<button class="button quiet" type="submit" name="second" value="yes">${second}</button>`}
      <button class="button${isDangerous ? ' dangerous' : ''}" type="submit">${action}</button>
    </p>
  </form>
</dialog>`
}
