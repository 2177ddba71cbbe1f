import { caretOffset, isInLine, placeCaret } from './caret.js'
/** @import { Outbox } from './protocol.js' */

/**
 * The keys that reach beyond one paragraph: Enter, Backspace at the start, the arrows, and pasting.
 *
 * @param {HTMLElement} paper
 * @param {Outbox} outbox
 * @param {(id: string, text: string, after: string) => HTMLElement} add adds a paragraph to the paper
 * @param {(id: string) => void} drop
 */
export function typing (paper, outbox, add, drop) {
  const idOf = (/** @type {HTMLElement} */ element) => element.dataset.paragraph ?? ''

  /** @param {HTMLElement} element */
  function changed (element) {
    outbox.changed(idOf(element), element.textContent ?? '')
  }

  /** @param {KeyboardEvent} event @param {HTMLElement} element */
  function press (event, element) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
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

  /** What stands behind the caret becomes a paragraph of its own. @param {HTMLElement} element */
  function split (element) {
    const selection = getSelection()
    if (selection !== null && !selection.isCollapsed) selection.deleteFromDocument()
    const text = element.textContent ?? ''
    const offset = caretOffset(element) ?? text.length
    element.textContent = text.slice(0, offset)
    changed(element)
    const id = outbox.newId()
    const added = add(id, text.slice(offset), idOf(element))
    outbox.inserted(id, idOf(element), text.slice(offset))
    placeCaret(added, 0)
    return true
  }

  /** The paragraph joins the one before, if that is an editable one beside it. @param {HTMLElement} element */
  function join (element) {
    const previous = element.previousElementSibling
    if (!(previous instanceof HTMLElement) || previous.dataset.paragraph === undefined) return false
    const length = (previous.textContent ?? '').length
    previous.textContent = `${previous.textContent}${element.textContent}`
    changed(previous)
    drop(idOf(element))
    outbox.removed(idOf(element))
    placeCaret(previous, length)
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

  /** Pasted text is plain; each of its lines is a paragraph. @param {ClipboardEvent} event @param {HTMLElement} element */
  function paste (event, element) {
    event.preventDefault()
    const lines = (event.clipboardData?.getData('text/plain') ?? '').split(/\r?\n/)
    for (const [index, line] of lines.entries()) {
      if (index > 0) split(/** @type {HTMLElement} */ (document.activeElement ?? element))
      document.execCommand('insertText', false, line)
    }
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
