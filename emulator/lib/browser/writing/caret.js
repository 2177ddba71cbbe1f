/** The caret's offset in an element, in characters; `null` when it is elsewhere. @param {HTMLElement} element */
export function caretOffset (element) {
  const selection = getSelection()
  if (selection === null || selection.rangeCount === 0 || !element.contains(selection.focusNode)) return null
  const range = document.createRange()
  range.selectNodeContents(element)
  range.setEnd(/** @type {Node} */ (selection.focusNode), selection.focusOffset)
  return range.toString().length
}

/** The selected range of an element, in characters; `null` without a selection. @param {HTMLElement} element */
export function selectedRange (element) {
  const selection = getSelection()
  const to = caretOffset(element)
  if (selection === null || selection.isCollapsed || to === null || !element.contains(selection.anchorNode)) return null
  const range = selection.getRangeAt(0)
  const before = document.createRange()
  before.selectNodeContents(element)
  before.setEnd(range.startContainer, range.startOffset)
  const from = before.toString().length
  return { from, to: from + range.toString().length }
}

/** @param {HTMLElement} element @param {number} offset @param {number} [end] the end of the selection */
export function placeCaret (element, offset, end = offset) {
  element.focus()
  const [start, stop] = [pointAt(element, offset), pointAt(element, end)]
  getSelection()?.setBaseAndExtent(start.node, start.offset, stop.node, stop.offset)
}

/** @param {HTMLElement} element @param {number} offset */
function pointAt (element, offset) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let rest = offset
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const length = node.textContent?.length ?? 0
    if (rest <= length) return { node, offset: rest }
    rest -= length
  }
  return { node: element, offset: element.childNodes.length }
}

/**
 * Whether the caret is in the first (or last) line of an element.
 * @param {HTMLElement} element
 * @param {'first' | 'last'} which
 */
export function isInLine (element, which) {
  const selection = getSelection()
  if (selection === null || selection.rangeCount === 0) return false
  const caret = selection.getRangeAt(0).getBoundingClientRect()
  if (caret.height === 0) return true
  const box = element.getBoundingClientRect()
  return which === 'first' ? caret.top - box.top < caret.height : box.bottom - caret.bottom < caret.height
}
