/**
 * The field for a cell's content, in the cell and in the bar above the sheet. Both show the same while one is typed
 * into. As in the real editor, a cell with typed text stays open when the focus leaves the editor, or is in a dialog.
 *
 * @param {object} parts
 * @param {HTMLTextAreaElement} parts.bar
 * @param {() => string} parts.value of the current cell
 * @param {() => void} parts.left the focus is at something else in the editor
 */
export function gridInput ({ bar, value, left }) {
  const area = document.createElement('textarea')
  area.className = 'grid-input'
  area.rows = 1
  area.spellcheck = false
  area.setAttribute('aria-label', 'Content of the cell')
  let isOpen = false
  /** Typing began with a character, so the arrow keys leave the cell. */
  let isQuick = false
  let before = ''
  /** What the next typing starts with, instead of the value. @type {string | undefined} */
  let first

  /** The grid's interface for an editor. */
  class Editor {
    /** @param {{ container: HTMLElement }} parts */
    constructor ({ container }) {
      before = withLineFeeds(value())
      const start = first ?? before
      first = undefined
      isOpen = true
      isQuick = start !== before || before === ''
      area.style.width = `${Math.max(container.offsetWidth, 80)}px`
      area.style.height = `${container.offsetHeight}px`
      container.append(area)
      area.value = bar.value = start
      fit()
      if (isInBar()) return
      area.focus()
      area.setSelectionRange(start.length, start.length)
    }

    destroy () {
      isOpen = false
      area.remove()
      bar.value = value()
    }

    /** @param {HTMLElement} container the same cell, rendered anew */
    moveTo (container) {
      if (container.contains(area)) return
      const { selectionStart, selectionEnd } = area
      container.append(area)
      if (isInBar()) return
      area.focus()
      area.setSelectionRange(selectionStart, selectionEnd)
    }

    init () {}
    focus () {}
    loadValue () {}
    applyValue () {}
    serializeValue () { return area.value }
    isValueChanged () { return area.value !== before }
    validate () { return { valid: true, msg: null } }
  }

  function isInBar () {
    return document.activeElement === bar
  }

  function fit () {
    area.style.width = `${Math.max(Number.parseFloat(area.style.width), Math.min(area.scrollWidth + 4, 480))}px`
    area.style.height = `${Math.max(Number.parseFloat(area.style.height), Math.min(area.scrollHeight + 2, 180))}px`
  }

  /** The focus comes back at once if the cell is rendered anew. */
  function leaveUnlessBack () {
    const { activeElement } = document
    if (isOpen && activeElement !== area && activeElement !== bar) left()
  }

  for (const [field, other] of /** @type {const} */ ([[area, bar], [bar, area]])) {
    field.addEventListener('input', () => {
      other.value = field.value
      fit()
    })
    field.addEventListener('pointerdown', () => { isQuick = false })
    field.addEventListener('blur', ({ relatedTarget: to }) => {
      const isLeft = to instanceof Element ? to !== other && !to.closest('dialog') : area.value === before
      if (isLeft) queueMicrotask(leaveUnlessBack)
    })
    field.addEventListener('beforeinput', event => {
      if (event.inputType.startsWith('history')) event.stopPropagation()
    })
  }

  return {
    Editor,
    /** The next typing starts with another text than the value. @param {string | undefined} text */
    startWith (text) {
      first = text
    },
    isOpen: () => isOpen,
    isInBar,
    isQuick: () => isQuick && !isInBar(),
    correct () {
      isQuick = !isQuick
    },
    newLine () {
      const field = isInBar() ? bar : area
      field.setRangeText('\n', field.selectionStart, field.selectionEnd, 'end')
      field.dispatchEvent(new Event('input'))
    },
    /** The text being typed, if any. */
    draft: () => isOpen ? area.value : null
  }
}

/** With the line ends of a field. @param {string} value */
function withLineFeeds (value) {
  return value.replace(/\r\n?/g, '\n')
}
