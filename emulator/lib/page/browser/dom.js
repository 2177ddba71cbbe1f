/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {object} [properties]
 * @param {Array<Node | string>} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element (tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

/** @param {string} textContent @param {() => void} onclick @param {object} [properties] */
export function button (textContent, onclick, properties) {
  return element('button', { type: 'button', className: 'quiet', textContent, onclick, ...properties })
}
