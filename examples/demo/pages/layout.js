import { html } from '../html.js'
import { initialsOf, users } from '../users.js'
import { glyph } from './glyphs.js'

/** @import { Html } from '../html.js' */
/** @import { Preferences } from '../preferences.js' */
/** @import { User } from '../users.js' */

/**
 * A page with the bar of the application.
 * @param {{ title: string, body: Html, module?: string, className?: string, preferences: Preferences }} content
 * @returns {Html}
 */
export function page ({ title, body, module, className = '', preferences: { theme } }) {
  return html`<!DOCTYPE html>
<html lang="en" data-theme="${theme ?? 'system'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<title>${title}</title>
<link rel="icon" href="/public/icon.svg">
<link rel="stylesheet" href="/public/style.css">
<script type="module" src="/public/theme.js"></script>
${module ? html`<script type="module" src="/public/${module}"></script>` : null}
</head>
<body class="${className}">${body}
</body>
</html>
`
}

/**
 * The bar of a page without an editor.
 * @param {{ title: string, user: User, middle?: Html | null, isList?: boolean }} content
 * @returns {Html}
 */
export function topBar ({ title, user, middle = null, isList = false }) {
  return html`
<header class="top">
  ${isList
    ? html`<h1 class="brand">${title}</h1>`
    : html`<a class="back" href="/?user=${user.id}">${glyph('back')}Documents</a><h1>${title}</h1>`}
  ${middle}
  <nav class="users" aria-label="Edit as">
    ${users.map(each => html`<a href="?user=${each.id}" title="${each.name}"${current(each.id === user.id)}>${avatar(each)}<span class="user-name">${each.name}</span></a>`)}
  </nav>
  <button class="icon-button theme" type="button" role="switch" aria-checked="false" aria-label="Dark mode" title="Dark mode" data-theme-switch>${glyph('moon')}</button>
</header>`
}

/** @param {boolean} isCurrent */
function current (isCurrent) {
  return isCurrent ? html` aria-current="true"` : null
}

/**
 * @param {User} user
 * @returns {Html}
 */
export function avatar (user) {
  return html`<span class="avatar" data-user="${user.id}" aria-hidden="true">${initialsOf(user)}</span>`
}
