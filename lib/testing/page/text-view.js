/** @import { Operation, Outbox, View } from './protocol.js' */

/**
 * A text file as one monospace area.
 *
 * @param {HTMLElement} container
 * @param {string} text
 * @param {boolean} viewOnly
 * @param {Outbox} outbox
 * @returns {View}
 */
export function textView (container, text, viewOnly, outbox) {
  const area = document.createElement('textarea')
  area.dataset.text = ''
  area.value = text
  area.readOnly = viewOnly
  area.spellcheck = false
  area.setAttribute('aria-label', 'Text of the document')
  area.addEventListener('input', () => outbox.queue({ op: 'text', text: area.value }))
  container.replaceChildren(area)

  return {
    apply (operation) {
      if (operation.op !== 'text' || operation.text === area.value) return
      const { selectionStart, selectionEnd } = area
      const before = commonStart(area.value, operation.text)
      const shift = operation.text.length - area.value.length
      area.value = operation.text
      area.setSelectionRange(
        selectionStart <= before ? selectionStart : Math.max(before, selectionStart + shift),
        selectionEnd <= before ? selectionEnd : Math.max(before, selectionEnd + shift))
    }
  }
}

/**
 * @param {string} a
 * @param {string} b
 */
function commonStart (a, b) {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}
