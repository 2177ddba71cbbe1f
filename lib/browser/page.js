// What the module does with the page around the editor: elements and styles, links and tabs.

/** @import { EditorPage } from './fragment.js' */

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

/** Would pass for the platform's: they bubble to handlers of forms, and to reporters of the page's errors. */
const PLATFORM_EVENTS = ['error', 'submit']

/**
 * The DOM's name of an editor's event: `documentready` for `onDocumentReady`.
 * @param {string} name
 */
export function domName (name) {
  const type = name.slice(2).toLowerCase()
  return PLATFORM_EVENTS.includes(type) ? `editor${type}` : type
}

/**
 * @param {Element} target
 * @param {string} type
 * @param {unknown} detail
 * @returns {boolean} `false` if a listener called `preventDefault()`.
 */
export function dispatch (target, type, detail) {
  return target.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, cancelable: true }))
}

/**
 * Informs the page that a document could not be fetched or mounted.
 * @param {Element} target
 * @param {Error} error
 */
export function dispatchError (target, error) {
  console.error(error)
  target.setAttribute('data-error', error.message)
  dispatch(target, domName('onError'), { errorCode: 0, errorDescription: error.message })
}

/**
 * Returns a function that adds style rules to the page once. It uses no style element, which a Content-Security-Policy
 * with `style-src 'self'` would block.
 * @param {string} css
 */
export function styleSheet (css) {
  let isUsed = false
  return function use () {
    if (isUsed) return
    isUsed = true
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    document.adoptedStyleSheets.push(sheet)
  }
}

const PARAMETER = 'action-link'

/**
 * The URL of this page that opens the document at a place.
 * @param {unknown} actionLink The place, as the editor made it.
 */
export function linkTo (actionLink) {
  const url = new URL(location.href)
  url.searchParams.set(PARAMETER, JSON.stringify(actionLink))
  return url.href
}

/**
 * The place that the URL of this page names.
 * @returns {object | null}
 */
export function placeOfPage () {
  const text = new URLSearchParams(location.search).get(PARAMETER)
  if (text === null) return null
  try {
    const place = JSON.parse(text)
    return typeof place === 'object' ? place : null
  } catch {
    return null
  }
}

/**
 * @param {unknown} url URL of a page.
 * @returns {string | null} `null` if a browser may not open it.
 */
export function pageUrl (url) {
  if (typeof url !== 'string' || url === '') return null
  try {
    const { href, protocol } = new URL(url, document.baseURI)
    return protocol === 'https:' || protocol === 'http:' ? href : null
  } catch {
    return null
  }
}

/**
 * The page to open after closing the editor: the one that the application has set, or the one that the user came from,
 * unless this page has other editors.
 * @param {Pick<EditorPage, 'closeUrl'> & { isOnly: boolean }} page
 */
export function wayBack ({ closeUrl, isOnly }) {
  const { referrer } = document
  const set = pageUrl(closeUrl)
  if (set) return set
  const isOther = isOnly && referrer !== '' && new URL(referrer).origin === location.origin &&
    withoutHash(referrer) !== withoutHash(location.href)
  return isOther ? referrer : null
}

/** @param {string} url */
function withoutHash (url) {
  return url.replace(/#.*/, '')
}

/**
 * Opens another page in a tab.
 * @param {string} url
 * @param {string} [name] Name of the tab.
 * @returns {boolean} `false` if the browser has blocked it.
 */
export function openTab (url, name = '_blank') {
  const isOfPage = name.startsWith('_') ||
    Array.from(document.querySelectorAll('iframe')).some(frame => frame.name === name)
  const tab = window.open('', isOfPage ? '_blank' : name)
  if (tab === null) return false
  try {
    tab.opener = null
  } catch {
    // a tab of this name already shows another site
  }
  tab.location.replace(url)
  return true
}
