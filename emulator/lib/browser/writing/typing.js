import { caretOffset, isInLine, placeCaret, selectedRange } from './caret.js'
import { marksIn, remember, write } from './formatted.js'
import { hasFormat, joinedMarks, slicedMarks, withFormat } from './marks.js'
/** @import { Mark, Outbox } from '../protocol.js' */

const FORMAT_KEYS =
  /** @type {Record<string, 'bold' | 'italic' | 'underline'>} */ ({ b: 'bold', i: 'italic', u: 'underline' })

/**
 * Keys that do more than insert text: Enter, Backspace at the start, arrows, bold, italic and underline; and pasting.
 *
 * @param {HTMLElement} paper
 * @param {Outbox} outbox
 * @param {(id: string, text: string, after: string, marks: Mark[]) => HTMLElement} add adds a paragraph to the paper
 * @param {(id: string) => void} drop
 */
export function typing (paper, outbox, add, drop) {
  const idOf = (/** @type {HTMLElement} */ element) => element.dataset.paragraph ?? ''

  /** @param {HTMLElement} element */
  function changed (element) {
    outbox.changed(idOf(element), element.textContent ?? '')
    remember(element)
  }

  /** @param {KeyboardEvent} event @param {HTMLElement} element */
  function press (event, element) {
    if (event.isComposing || event.altKey) return
    if (event.ctrlKey || event.metaKey) {
      const format = FORMAT_KEYS[event.key.toLowerCase()]
      if (format === undefined || event.shiftKey) return
      event.preventDefault()
      return toggle(element, format)
    }
    const offset = caretOffset(element) ?? 0
    const atStart = offset === 0 && getSelection()?.isCollapsed === true
    const atEnd = offset === (element.textContent ?? '').length
    /** @type {Record<string, () => boolean>} */
    const actions = {
      Enter: () => !event.shiftKey && split(element),
      Backspace: () => atStart && join(element),
      ArrowUp: () => !event.shiftKey && isInLine(element, 'first') && move(element, -1, Infinity),
      ArrowDown: () => !event.shiftKey && isInLine(element, 'last') && move(element, 1, 0),
      ArrowLeft: () => !event.shiftKey && atStart && move(element, -1, Infinity),
      ArrowRight: () => !event.shiftKey && atEnd && move(element, 1, 0)
    }
    if (actions[event.key]?.()) event.preventDefault()
  }

  /**
   * Toggles a format of the selected text.
   * @param {HTMLElement} element
   * @param {'bold' | 'italic' | 'underline'} format
   */
  function toggle (element, format) {
    const range = selectedRange(element)
    if (range === null) return
    const { from, to } = range
    const text = element.textContent ?? ''
    const marks = marksIn(element)
    const value = !hasFormat(marks, from, to, format)
    outbox.formatted(idOf(element), { from, to, format, value })
    write(element, text, withFormat(marks, text.length, from, to, format, value))
    placeCaret(element, from, to)
  }

  /** Splits the paragraph at the caret. @param {HTMLElement} element */
  function split (element) {
    const selection = getSelection()
    if (selection !== null && !selection.isCollapsed) {
      selection.deleteFromDocument()
      changed(element)
    }
    const [text, marks] = [element.textContent ?? '', marksIn(element)]
    const offset = caretOffset(element) ?? text.length
    const id = outbox.newId()
    outbox.together(() => {
      outbox.changed(idOf(element), text.slice(0, offset))
      outbox.inserted(id, idOf(element), text.slice(offset), idOf(element))
    })
    write(element, text.slice(0, offset), slicedMarks(marks, 0, offset))
    const added = add(id, text.slice(offset), idOf(element), slicedMarks(marks, offset, text.length))
    placeCaret(added, 0)
    return true
  }

  /** Joins the paragraph with the previous one, if that is adjacent and editable. @param {HTMLElement} element */
  function join (element) {
    const previous = element.previousElementSibling
    if (!(previous instanceof HTMLElement) || previous.dataset.paragraph === undefined) return false
    const [before, behind] = [previous.textContent ?? '', element.textContent ?? '']
    const marks = joinedMarks(marksIn(previous), before.length, marksIn(element))
    outbox.together(() => {
      outbox.changed(idOf(previous), before + behind, idOf(element))
      outbox.removed(idOf(element))
    })
    write(previous, before + behind, marks)
    drop(idOf(element))
    placeCaret(previous, before.length)
    return true
  }

  /** @param {HTMLElement} element @param {1 | -1} direction @param {number} offset */
  function move (element, direction, offset) {
    const all = /** @type {HTMLElement[]} */ ([...paper.querySelectorAll('[data-paragraph]')])
    const target = all[all.indexOf(element) + direction]
    if (target === undefined) return false
    placeCaret(target, Math.min(offset, (target.textContent ?? '').length))
    return true
  }

  /** Pastes plain text, with one paragraph per line. @param {ClipboardEvent} event @param {HTMLElement} element */
  function paste (event, element) {
    event.preventDefault()
    const lines = (event.clipboardData?.getData('text/plain') ?? '').split(/\r?\n/)
    outbox.together(() => {
      for (const [index, line] of lines.entries()) {
        if (index > 0) split(/** @type {HTMLElement} */ (document.activeElement ?? element))
        document.execCommand('insertText', false, line)
      }
    })
  }

  return {
    /** @param {HTMLElement} element */
    listen (element) {
      element.addEventListener('input', () => changed(element))
      element.addEventListener('keydown', event => press(event, element))
      element.addEventListener('paste', event => paste(event, element))
    }
  }
}
