/**
 * The field for a cell's content, in the cell and in the bar above the sheet. Both show the same while one is typed
 * into.
 *
 * @param {object} parts
 * @param {HTMLTextAreaElement} parts.bar
 * @param {() => string} parts.value of the current cell
 * @param {() => void} parts.left the focus has left both
 */
export function gridInput ({ bar, value, left }) {
  const area = document.createElement('textarea')
  area.className = 'grid-input'
  area.rows = 1
  area.spellcheck = false
  area.setAttribute('aria-label', 'Content of the cell')
  let isOpen = false
  let isHeld = false
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

    /** Does not take it for leaving the field if the focus is lost. @param {boolean} value */
    hold (value) {
      isHeld = value
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

  for (const [field, other] of /** @type {const} */ ([[area, bar], [bar, area]])) {
    field.addEventListener('input', () => {
      other.value = field.value
      fit()
    })
    field.addEventListener('pointerdown', () => { isQuick = false })
    field.addEventListener('blur', ({ relatedTarget }) => { if (isOpen && !isHeld && relatedTarget !== other) left() })
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
