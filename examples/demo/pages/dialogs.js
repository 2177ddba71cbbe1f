import { html } from '../html.js'
import { languages } from '../new-documents.js'

/** @import { Html } from '../html.js' */
/** @import { NewFormat } from '../new-documents.js' */

/** The menu of a document. The script fills in which one. */
export function menu () {
  return html`
<div class="menu" role="menu" popover aria-label="More" data-menu>
  <a role="menuitem" tabindex="-1" data-item="edit">Open</a>
  <a role="menuitem" tabindex="-1" data-item="view">View only</a>
  <a role="menuitem" tabindex="-1" data-item="versions">Version history</a>
  <hr role="separator">
  <a role="menuitem" tabindex="-1" data-item="download">Download</a>
  <a role="menuitem" tabindex="-1" data-item="pdf">Show as PDF</a>
  <button role="menuitem" tabindex="-1" type="button" data-item="convert">Convert…</button>
  <hr role="separator">
  <button role="menuitem" tabindex="-1" type="button" data-item="favorite">Add to favorites</button>
  <button role="menuitem" tabindex="-1" type="button" data-item="rename">Rename…</button>
  <button role="menuitem" tabindex="-1" type="button" data-item="copy">Make a copy</button>
  <button role="menuitem" tabindex="-1" type="button" class="danger" data-item="delete">Delete…</button>
</div>`
}

/**
 * The dialogs of the list. Scripts fill in which document they are about.
 * @param {{ newFormats: readonly NewFormat[] }} content
 * @returns {Html}
 */
export function dialogs ({ newFormats }) {
  return html`
${dialog({
  name: 'new',
  title: 'New document',
  action: 'Create',
  fields: html`
  <fieldset class="formats">
    <legend>Kind</legend>
    ${newFormats.map(({ extension, kind, label }, position) => html`<label class="format"><input type="radio" name="format" value="${extension}"${position === 0 ? html` checked` : null}><span class="icon" data-kind="${kind}" aria-hidden="true">${extension}</span><span>${label}</span></label>`)}
  </fieldset>
  <div class="fields">
    <p class="field"><label for="new-name">Name</label><input id="new-name" name="name" maxlength="190" value="Untitled" required autocomplete="off"></p>
    <p class="field"><label for="new-language">Language</label><select id="new-language" name="lang">${languages.map(({ code, label }) => html`<option value="${code}" lang="${code}">${label}</option>`)}</select></p>
  </div>`
})}
${dialog({
  name: 'rename',
  title: 'Rename',
  action: 'Rename',
  fields: html`<p class="field"><label for="rename-name">Name</label><span class="with-suffix"><input id="rename-name" name="name" maxlength="190" required autocomplete="off"><span class="suffix" data-suffix></span></span></p>`
})}
${dialog({
  name: 'convert',
  title: 'Convert',
  action: 'Download',
  fields: html`<p class="field"><label for="convert-format">Format</label><select id="convert-format" name="format" required></select></p>`,
  second: 'Add to the documents'
})}
${dialog({ name: 'delete', title: 'Delete', action: 'Delete', isDangerous: true, fields: html`<p data-text></p>` })}
${dialog({ name: 'purge', title: 'Delete for good', action: 'Delete for good', isDangerous: true, fields: html`<p>This can't be undone.</p>` })}`
}

/**
 * @param {{ name: string, title: string, action: string, fields: Html, isDangerous?: boolean, second?: string }}
 *   content
 * @returns {Html}
 */
function dialog ({ name, title, action, fields, isDangerous = false, second = '' }) {
  return html`
<dialog class="dialog" aria-labelledby="${name}-title" data-dialog="${name}">
  <form>
    <h2 id="${name}-title" data-title="${title}">${title}</h2>
    ${fields}
    <p class="problem" role="alert" data-problem></p>
    <p class="buttons">
      <button class="button quiet" type="button" data-cancel>Cancel</button>
      ${second === '' ? null : html`<button class="button quiet" type="submit" name="second" value="yes">${second}</button>`}
      <button class="button${isDangerous ? ' dangerous' : ''}" type="submit">${action}</button>
    </p>
  </form>
</dialog>`
}
