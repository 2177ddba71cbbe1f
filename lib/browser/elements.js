/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} className
 * @param {string} [text]
 */
export function element (tag, className, text = '') {
  const created = document.createElement(tag)
  created.className = className
  created.textContent = text
  return created
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
