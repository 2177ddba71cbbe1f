// Template tag that escapes its inserts, for text content and quoted attributes.
export function html (strings, ...inserts) {
  return { html: strings.map((text, position) => text + markup(inserts[position])).join('') }
}

function markup (insert) {
  if (insert === undefined || insert === null || insert === false) return ''
  if (Array.isArray(insert)) return insert.map(markup).join('')
  if (typeof insert === 'object') return (insert).html
  return String(insert).replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
