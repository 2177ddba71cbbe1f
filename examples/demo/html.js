/** HTML that is safe as it stands. @typedef {{ readonly html: string }} Html */
/** @typedef {string | number | Html | readonly Html[] | null} Insert */

/**
 * A template whose inserts are escaped, in texts and in quoted attributes.
 * @param {TemplateStringsArray} strings
 * @param {...Insert} inserts
 * @returns {Html}
 */
export function html (strings, ...inserts) {
  return { html: strings.map((text, position) => text + markup(inserts[position] ?? null)).join('') }
}

/**
 * Markup from a source that escapes by itself.
 * @param {string} text
 * @returns {Html}
 */
export function trusted (text) {
  return { html: text }
}

/**
 * @param {Insert} insert
 * @returns {string}
 */
function markup (insert) {
  if (insert === null) return ''
  if (Array.isArray(insert)) return insert.map(markup).join('')
  if (typeof insert === 'object') return /** @type {Html} */ (insert).html
  return String(insert).replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
