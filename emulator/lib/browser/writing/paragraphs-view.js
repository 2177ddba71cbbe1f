import { caretOffset, placeCaret, selectedRange } from './caret.js'
import { marksIn, openLinks, reportedMarks, write } from './formatted.js'
import { movedMarks, sameMarks } from './marks.js'
import { movedOffset } from './merge.js'
import { typing } from './typing.js'
/** @import { Mark, Outbox, Paragraph, View } from '../protocol.js' */

const TOUCHED_MS = 900

/**
 * Shows a document as a page of editable paragraphs.
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
  /** The heading level of each paragraph, for those that come back. @type {Map<string, number | undefined>} */
  const levels = new Map()
  openLinks(paper, viewOnly)
  const keys = typing(paper, outbox, add, drop)
  for (const paragraph of paragraphs) placeIn(paper, paragraph.cell).append(create(paragraph))
  container.replaceChildren(paper)

  /** @param {Paragraph} paragraph */
  function create ({ id, text, editable, level, marks = [], images = 0 }) {
    const isFixed = viewOnly || !editable
    // A field can't be a heading for screen readers: its name says what it is.
    const element = document.createElement(level === undefined || !isFixed ? 'p' : `h${Math.max(level, 1)}`)
    if (level !== undefined) element.dataset.level = String(Math.max(level, 1))
    write(element, text, marks)
    elements.set(id, element)
    levels.set(id, level)
    if (isFixed) {
      if (images > 0) element.append(pictureOf(images))
      element.dataset.fixed = id
      if (!viewOnly && text !== '') {
        element.dataset.why = ''
        element.title = 'This paragraph contains something that the emulated editor cannot edit'
      }
      return element
    }
    element.dataset.paragraph = id
    element.setAttribute('role', 'textbox')
    element.setAttribute('aria-multiline', 'true')
    element.setAttribute('aria-label', level === undefined ? 'Paragraph' : `Heading, level ${Math.max(level, 1)}`)
    element.spellcheck = false
    makeEditable(element)
    keys.listen(element)
    return element
  }

  /** @param {string} id @param {string} text @param {string | undefined} after @param {Mark[]} [marks] */
  function add (id, text, after, marks = []) {
    const level = levels.get(id)
    const element = create({ id, text, editable: true, marks, ...(level === undefined ? {} : { level }) })
    const anchor = elements.get(after ?? '')
    if (anchor !== undefined) anchor.after(element)
    else paper.prepend(element)
    return element
  }

  /** @param {string} id */
  function drop (id) {
    elements.get(id)?.remove()
    elements.delete(id)
  }

  function focused () {
    const element = document.activeElement
    return element instanceof HTMLElement && paper.contains(element) ? element : null
  }

  return {
    drop,
    ids: () => [...paper.querySelectorAll('[data-paragraph]')].map(idOf),
    previous: id => idOf(elements.get(id)?.previousElementSibling) || undefined,
    put (id, text, after) {
      const element = elements.get(id)
      if (element === undefined) return touch(add(id, text, after))
      const anchor = elements.get(after ?? '')
      const isElsewhere = anchor !== undefined && element.previousElementSibling !== anchor
      const before = element.textContent ?? ''
      if (before === text && !isElsewhere) return
      const offset = focused() === element ? caretOffset(element) : null
      if (isElsewhere) anchor.after(element)
      if (before !== text) write(element, text, movedMarks(marksIn(element), before, text))
      if (offset === null) touch(element)
      else placeCaret(element, movedOffset(offset, before, text))
    },
    marks (id) {
      const element = elements.get(id)
      return element === undefined ? [] : reportedMarks(element)
    },
    format (id, text, marks) {
      const element = elements.get(id)
      if (element === undefined) return
      const now = element.textContent ?? ''
      const moved = movedMarks(marks, text, now)
      if (sameMarks(moved, marksIn(element))) return
      const offset = focused() === element ? caretOffset(element) : null
      const range = selectedRange(element)
      write(element, now, moved)
      if (offset !== null) placeCaret(element, range?.from ?? offset, range?.to ?? offset)
    },
    focus (id, offset) {
      const element = elements.get(id)
      if (element !== undefined) placeCaret(element, offset)
    },
    place: () => idOf(focused()) || null,
    mark (marks) {
      for (const [id, element] of elements) {
        const mark = marks.get(id)
        delete element.dataset.by
        delete element.dataset.color
        if (mark !== undefined) Object.assign(element.dataset, { by: mark.name, color: String(mark.color) })
      }
    },
    caret () {
      const element = focused()
      const offset = element === null ? null : caretOffset(element)
      const text = element?.textContent ?? ''
      return () => {
        const now = container.querySelector(`[data-paragraph="${CSS.escape(idOf(element))}"]`)
        if (offset !== null && now instanceof HTMLElement) {
          placeCaret(now, movedOffset(offset, text, now.textContent ?? ''))
        }
      }
    }
  }
}

/** Stands for pictures, which are not shown. @param {number} count */
function pictureOf (count) {
  const picture = document.createElement('span')
  picture.className = 'image'
  picture.setAttribute('role', 'img')
  picture.setAttribute('aria-label', count === 1 ? 'Image' : `${count} images`)
  return picture
}

/** @param {Element | null | undefined} element */
function idOf (element) {
  if (!(element instanceof HTMLElement)) return ''
  return element.dataset.paragraph ?? element.dataset.fixed ?? ''
}

/**
 * The parent of a paragraph: the paper, or its cell in the table at the paper's end.
 * @param {HTMLElement} paper
 * @param {string} [cell]
 */
function placeIn (paper, cell) {
  if (cell === undefined) return paper
  const [, table, row] = /** @type {RegExpExecArray} */ (/^(\d+)\.(\d+):/.exec(cell))
  const grid = childNamed(paper, 'table', table ?? '')
  return childNamed(childNamed(grid, 'tr', row ?? ''), 'td', cell)
}

/**
 * The last child if it has this name, else a new one.
 * @param {HTMLElement} parent
 * @param {string} tag
 * @param {string} name
 */
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
    element.contentEditable = 'true' // for older browsers; pasted text is plain in any case
  }
}

/** Highlights a paragraph for a moment after a change by somebody else. @param {HTMLElement} element */
function touch (element) {
  element.classList.add('touched')
  setTimeout(() => element.classList.remove('touched'), TOUCHED_MS)
}
