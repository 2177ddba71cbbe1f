/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} className
 * @param {string} [text]
 * @param {Partial<HTMLElementTagNameMap[Tag]>} [properties]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element (tag, className, text = '', properties = {}) {
  return Object.assign(document.createElement(tag), { className, textContent: text }, properties)
}

/**
 * Informs the page that a document could not be fetched or mounted.
 * @param {Element} target
 * @param {Error} error
 */
export function dispatchError (target, error) {
  console.error(error)
  target.setAttribute('data-error', error.message)
  const detail = { errorCode: 0, errorDescription: error.message }
  target.dispatchEvent(new CustomEvent('onError', { detail, bubbles: true }))
}

/**
 * Returns a function that adds style rules to the page once. It uses no style element, which a Content-Security-Policy
 * with `style-src 'self'` would block, except in old browsers, which support nothing else.
 * @param {string} css
 */
export function styleSheet (css) {
  let isUsed = false
  return function use () {
    if (isUsed) return
    isUsed = true
    try {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(css)
      document.adoptedStyleSheets.push(sheet)
    } catch {
      const style = document.createElement('style')
      style.textContent = css
      document.head.append(style)
    }
  }
}
