import { caretOffset, isInLine, placeCaret } from './caret.js'
/** @import { Operation, Outbox, Paragraph, View } from './protocol.js' */

const TOUCHED_MS = 900

/**
 * A document as a page of editable paragraphs.
 *
 * @param {HTMLElement} container
 * @param {Paragraph[]} paragraphs
 * @param {boolean} viewOnly
 * @param {Outbox} outbox
 * @returns {View}
 */
export function paragraphsView (container, paragraphs, viewOnly, outbox) {
  const paper = document.createElement('article')
  paper.className = 'paper'
  /** @type {Map<string, HTMLElement>} */
  const elements = new Map()
  for (const paragraph of paragraphs) {
    const element = create(paragraph)
    placeIn(paper, paragraph.cell).append(element)
  }
  container.replaceChildren(paper)

  /** @param {Paragraph} paragraph */
  function create ({ id, text, editable, level }) {
    const element = document.createElement(level === undefined ? 'p' : `h${Math.max(level, 1)}`)
    element.textContent = text
    elements.set(id, element)
    if (viewOnly || !editable) {
      element.dataset.fixed = id
      if (!viewOnly && text !== '') {
        element.dataset.why = ''
        element.title = 'This paragraph holds something the emulated editor leaves alone'
      }
      return element
    }
    element.dataset.paragraph = id
    element.setAttribute('role', 'textbox')
    element.setAttribute('aria-multiline', 'true')
    element.setAttribute('aria-label', level === undefined ? 'Paragraph' : `Heading, level ${Math.max(level, 1)}`)
    element.spellcheck = false
    makeEditable(element)
    element.addEventListener('input', () => changed(element))
    element.addEventListener('keydown', event => press(event, element))
    element.addEventListener('paste', event => paste(event, element))
    return element
  }

  /** @param {HTMLElement} element */
  function changed (element) {
    outbox.queue({ op: 'set', id: idOf(element), text: element.textContent ?? '' })
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
      Backspace: () => atStart && merge(element),
      ArrowUp: () => !event.shiftKey && isInLine(element, 'first') && move(element, -1, Infinity),
      ArrowDown: () => !event.shiftKey && isInLine(element, 'last') && move(element, 1, 0),
      ArrowLeft: () => !event.shiftKey && atStart && move(element, -1, Infinity),
      ArrowRight: () => !event.shiftKey && atEnd && move(element, 1, 0)
    }
    if (actions[event.key]?.()) event.preventDefault()
  }

  /** Enter: what stands behind the caret becomes a paragraph of its own. @param {HTMLElement} element */
  function split (element) {
    const selection = getSelection()
    if (selection !== null && !selection.isCollapsed) selection.deleteFromDocument()
    const text = element.textContent ?? ''
    const offset = caretOffset(element) ?? text.length
    element.textContent = text.slice(0, offset)
    changed(element)
    const id = outbox.newId()
    const added = create({ id, text: text.slice(offset), editable: true })
    element.after(added)
    outbox.queue({ op: 'insert', id, after: idOf(element), text: text.slice(offset) })
    placeCaret(added, 0)
    return true
  }

  /** Backspace at the start: the paragraph joins the one before, if that is an editable one beside it. @param {HTMLElement} element */
  function merge (element) {
    const previous = element.previousElementSibling
    if (!(previous instanceof HTMLElement) || previous.dataset.paragraph === undefined) return false
    const length = (previous.textContent ?? '').length
    previous.textContent = `${previous.textContent}${element.textContent}`
    changed(previous)
    outbox.queue({ op: 'remove', id: idOf(element) })
    elements.delete(idOf(element))
    element.remove()
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
    apply (operation) {
      if (operation.op === 'text') return
      const element = elements.get(operation.op === 'insert' ? operation.after : operation.id)
      if (element === undefined) return
      if (operation.op === 'remove') {
        elements.delete(operation.id)
        element.remove()
      } else if (operation.op === 'insert') {
        const added = create({ id: operation.id, text: operation.text, editable: true })
        element.after(added)
        touch(added)
      } else if (element.textContent !== operation.text) {
        const offset = document.activeElement === element ? caretOffset(element) : null
        element.textContent = operation.text
        if (offset !== null) placeCaret(element, Math.min(offset, operation.text.length))
        touch(element)
      }
    }
  }
}

/** @param {HTMLElement} element */
function idOf (element) {
  return element.dataset.paragraph ?? ''
}

/** Where a paragraph goes: on the paper, or in its cell of the table at the paper's end. @param {HTMLElement} paper @param {string} [cell] */
function placeIn (paper, cell) {
  if (cell === undefined) return paper
  const [, table, row] = /** @type {RegExpExecArray} */ (/^(\d+)\.(\d+):/.exec(cell))
  const grid = childNamed(paper, 'table', table ?? '')
  return childNamed(childNamed(grid, 'tr', row ?? ''), 'td', cell)
}

/** The last child when it has this name, else a new one. @param {HTMLElement} parent @param {string} tag @param {string} name */
function childNamed (parent, tag, name) {
  const last = parent.lastElementChild
  if (last instanceof HTMLElement && last.localName === tag && last.dataset.name === name) return last
  const child = document.createElement(tag)
  child.dataset.name = name
  parent.append(child)
  return child
}

/** @param {HTMLElement} element */
function makeEditable (element) {
  try {
    element.contentEditable = 'plaintext-only'
  } catch {
    element.contentEditable = 'true' // older browsers; pasting is plain anyway
  }
}

/** Shows for a moment that someone else changed it. @param {HTMLElement} element */
function touch (element) {
  element.classList.add('touched')
  setTimeout(() => element.classList.remove('touched'), TOUCHED_MS)
}
