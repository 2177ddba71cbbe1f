/** Escaped HTML. @typedef {{ readonly html: string }} Html */
/** @typedef {string | number | Html | readonly Html[] | null} Insert */

/**
 * Template tag that escapes its inserts, for text content and quoted attributes.
 * @param {TemplateStringsArray} strings
 * @param {...Insert} inserts
 * @returns {Html}
 */
export function html (strings, ...inserts) {
  return { html: strings.map((text, position) => text + markup(inserts[position] ?? null)).join('') }
}

/**
 * Marks HTML that is escaped already.
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
