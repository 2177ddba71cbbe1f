import { FORMATS } from './marks.js'
/** @import { Mark } from '../protocol.js' */

const TAGS = { bold: 'b', italic: 'i', underline: 'u', strike: 's' }
const SAFE_LINK = /^(https?|mailto|ftp):/i

/** The marks last written or reported. @type {WeakMap<HTMLElement, readonly Mark[]>} */
const reported = new WeakMap()

/**
 * Shows a text with its formatting.
 * @param {HTMLElement} element
 * @param {string} text
 * @param {readonly Mark[]} marks
 */
export function write (element, text, marks) {
  /** @type {Node[]} */ const parts = []
  let at = 0
  for (const mark of marks) {
    if (mark.from > at) parts.push(document.createTextNode(text.slice(at, mark.from)))
    parts.push(formatted(text.slice(mark.from, mark.to), mark))
    at = mark.to
  }
  if (at < text.length) parts.push(document.createTextNode(text.slice(at)))
  element.replaceChildren(...parts)
  reported.set(element, marks)
}

/**
 * The current formatting of an element's text, which the browser maintains during typing.
 * @param {HTMLElement} element
 * @returns {Mark[]}
 */
export function marksIn (element) {
  /** @type {Mark[]} */ const marks = []
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let from = 0
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const to = from + (node.textContent ?? '').length
    const look = lookOf(node, element)
    if (to > from && Object.keys(look).length > 0) {
      const last = marks.at(-1)
      const isSame = last?.to === from &&
        JSON.stringify({ ...look, from: last.from, to: from }) ===
          JSON.stringify({ ...last, from: last.from, to: from })
      if (isSame) last.to = to
      else marks.push({ ...look, from, to })
    }
    from = to
  }
  return marks
}

/** The formatting before the edit that is being reported. @param {HTMLElement} element */
export function reportedMarks (element) {
  return reported.get(element) ?? []
}

/** Call after an edit was reported. @param {HTMLElement} element */
export function remember (element) {
  reported.set(element, marksIn(element))
}

/**
 * Opens links; in editable text only with Ctrl, as in other editors.
 * @param {HTMLElement} paper
 * @param {boolean} viewOnly
 */
export function openLinks (paper, viewOnly) {
  paper.addEventListener('click', event => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null) return
    event.preventDefault()
    if (link.href !== '' && (viewOnly || event.ctrlKey || event.metaKey)) {
      open(link.href, '_blank', 'noopener,noreferrer')
    }
  })
}

/** @param {string} text @param {Mark} mark */
function formatted (text, mark) {
  /** @type {Node} */ let node = document.createTextNode(text)
  for (const format of FORMATS) {
    if (mark[format] !== true) continue
    const element = document.createElement(TAGS[format])
    element.append(node)
    node = element
  }
  if (mark.link === undefined) return node
  const link = document.createElement('a')
  link.dataset.link = mark.link
  link.title = mark.link
  if (SAFE_LINK.test(mark.link)) link.href = mark.link
  link.append(node)
  return link
}

/** @param {Node} node @param {HTMLElement} within @returns {Omit<Mark, 'from' | 'to'>} */
function lookOf (node, within) {
  /** @type {Set<string>} */ const tags = new Set()
  /** @type {string | undefined} */ let link
  for (let element = node.parentElement; element !== null && element !== within; element = element.parentElement) {
    tags.add(element.localName)
    link ??= element.dataset.link
  }
  const formats = FORMATS.filter(format => tags.has(TAGS[format]))
  return { ...Object.fromEntries(formats.map(format => [format, true])), ...(link === undefined ? {} : { link }) }
}
