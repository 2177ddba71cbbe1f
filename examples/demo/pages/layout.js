import { DOCTOR_PATH } from '../doctor.js'
import { html, trusted } from '../html.js'
import { portraitOf, users } from '../users.js'
import { glyph } from './glyphs.js'

/** @import { Html } from '../html.js' */
/** @import { Visitor } from '../routes/request.js' */

/**
 * A page of the application.
 * @param {object} content
 * @param {string} content.title
 * @param {Html} content.body
 * @param {Visitor} content.visitor
 * @param {boolean} [content.hasBar] Default: true.
 * @param {Html | null} [content.middle] Of the bar. Default: the title.
 * @param {string} [content.module]
 * @param {string} [content.className]
 * @returns {Html}
 */
export function page (
  { title, body, visitor, hasBar = true, middle = html`<h1>${title}</h1>`, module, className = '' }
) {
  const { theme } = visitor.preferences
  return html`<!DOCTYPE html>
<html lang="en" data-theme="${theme ?? 'system'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<title>${title}</title>
<link rel="icon" href="/public/icon.svg">
<link rel="stylesheet" href="/public/style.css">
${hasBar ? html`<script type="module" src="/public/preferences.js"></script>` : null}
${module ? html`<script type="module" src="/public/${module}"></script>` : null}
</head>
<body class="${className}">${hasBar ? bar(middle, visitor) : null}${body}
</body>
</html>
`
}

/**
 * @param {Html | null} middle
 * @param {Visitor} visitor
 */
function bar (middle, { user, isLocal }) {
  return html`<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
  <a class="brand" href="/?user=${user.id}">Documents</a>
  ${middle}
  <a class="action wide" href="/real-editor?user=${user.id}">Use the real editor</a>
  <button class="who" type="button" popovertarget="preferences" title="Users and preferences" data-user="${user.id}">${trusted(portraitOf(user))}<span class="user-name">${user.name}</span></button>
</header>
<div class="menu preferences" id="preferences" popover role="dialog" aria-label="Users and preferences" data-preferences>
  <nav aria-label="Edit as">
    ${users.map(each => html`<a href="?user=${each.id}"${each.id === user.id ? html` aria-current="true"` : null}>${trusted(portraitOf(each))}${each.name}</a>`)}
  </nav>
  <button type="button" role="switch" aria-checked="false" data-theme-switch>${glyph('moon')}Dark mode</button>
  <nav aria-label="Help">
    <a href="/real-editor?user=${user.id}">Use the real editor</a>
    ${isLocal
      ? html`<a href="/failures?user=${user.id}">Cause a failure</a><a href="/forgotten?user=${user.id}">Saves that did not arrive</a><a href="${DOCTOR_PATH}">Ask the doctor</a>`
      : null}
  </nav>
</div>`
}
