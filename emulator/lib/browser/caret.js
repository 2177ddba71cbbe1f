/** Position of the caret in an editable element, in characters; `null` when it is not there. @param {HTMLElement} element */
export function caretOffset (element) {
  const selection = getSelection()
  if (selection === null || selection.rangeCount === 0 || !element.contains(selection.focusNode)) return null
  const range = document.createRange()
  range.selectNodeContents(element)
  range.setEnd(/** @type {Node} */ (selection.focusNode), selection.focusOffset)
  return range.toString().length
}

/**
 * @param {HTMLElement} element
 * @param {number} offset
 */
export function placeCaret (element, offset) {
  element.focus()
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let rest = offset
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const length = node.textContent?.length ?? 0
    if (rest <= length) return getSelection()?.collapse(node, rest)
    rest -= length
  }
  getSelection()?.collapse(element, element.childNodes.length)
}

/** Whether the caret stands in the first (or last) line of an element. @param {HTMLElement} element @param {'first' | 'last'} which */
export function isInLine (element, which) {
  const selection = getSelection()
  if (selection === null || selection.rangeCount === 0) return false
  const caret = selection.getRangeAt(0).getBoundingClientRect()
  if (caret.height === 0) return true
  const box = element.getBoundingClientRect()
  return which === 'first' ? caret.top - box.top < caret.height : box.bottom - caret.bottom < caret.height
}
