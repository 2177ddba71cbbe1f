import { placed } from './table.js'

/**
 * The field for a cell's content: in the cell, or in the bar above the sheet.
 *
 * @param {object} parts
 * @param {HTMLTextAreaElement} parts.bar
 * @param {(value: string | null, down: number, right: number) => void} parts.done the new value, if any, and the
 *   direction to move in
 * @param {() => void} parts.left typing has ended
 */
export function gridInput ({ bar, done, left }) {
  const area = document.createElement('textarea')
  area.className = 'grid-input'
  area.rows = 1
  area.spellcheck = false
  area.setAttribute('aria-label', 'Content of the cell')
  let isOpen = false
  /** Typing began with a character, so the arrow keys leave the cell. */
  let isQuick = false
  let before = ''

  /**
   * @param {HTMLElement} body
   * @param {{ left: number, top: number, width: number, height: number }} box
   * @param {string} value
   * @param {string} first the character typed, if it replaces the value
   */
  function open (body, box, value, first = value) {
    isOpen = true
    isQuick = first !== value || value === ''
    before = withLineFeeds(value)
    placed(area, { ...box, width: Math.max(box.width, 80) })
    body.append(area)
    area.value = bar.value = first
    area.focus()
    area.setSelectionRange(first.length, first.length)
    fit()
  }

  function fit () {
    area.style.width = `${Math.max(Number.parseFloat(area.style.width), Math.min(area.scrollWidth + 4, 480))}px`
    area.style.height = `${Math.max(Number.parseFloat(area.style.height), Math.min(area.scrollHeight + 2, 180))}px`
  }

  /** @param {number} down @param {number} right */
  function commit (down, right) {
    const { value } = isOpen ? area : bar
    const typed = value === before ? null : value
    before = value
    close()
    done(typed, down, right)
  }

  function cancel () {
    bar.value = before
    close()
    left()
  }

  function close () {
    isOpen = false
    area.remove()
  }

  /** @param {KeyboardEvent} event */
  function press (event) {
    if (event.isComposing) return
    const control = event.ctrlKey || event.metaKey
    if (!control || /^[zy]$/i.test(event.key)) event.stopPropagation() // the field itself undoes typing
    if (control && event.key.toLowerCase() === 's') commit(0, 0)
    const inCell = event.currentTarget === area
    /** @type {Record<string, () => void>} */
    const actions = {
      Enter: () => commit(event.shiftKey ? -1 : 1, 0),
      Tab: () => commit(0, event.shiftKey ? -1 : 1),
      Escape: cancel,
      ...inCell && isQuick
        ? {
            ArrowUp: () => commit(-1, 0),
            ArrowDown: () => commit(1, 0),
            ArrowLeft: () => commit(0, -1),
            ArrowRight: () => commit(0, 1)
          }
        : {},
      ...inCell
        ? {
            F2: () => {
              isQuick = !isQuick
            }
          }
        : {}
    }
    if (event.key === 'Enter' && (event.altKey || control)) return newLine(event)
    const action = actions[event.key]
    if (action === undefined || control || event.altKey) return
    event.preventDefault()
    action()
  }

  /** @param {KeyboardEvent} event */
  function newLine (event) {
    event.preventDefault()
    const field = event.currentTarget === area ? area : bar
    field.setRangeText('\n', field.selectionStart, field.selectionEnd, 'end')
    if (isOpen) fit()
  }

  /** The text being typed, if any. */
  function draft () {
    if (isOpen) return area.value
    return document.activeElement === bar && bar.value !== before ? bar.value : null
  }

  for (const field of /** @type {HTMLElement[]} */ ([area, bar])) {
    field.addEventListener('keydown', press)
    field.addEventListener('beforeinput', event => {
      if (event.inputType.startsWith('history')) event.stopPropagation()
    })
  }
  area.addEventListener('input', () => {
    bar.value = area.value
    fit()
  })
  area.addEventListener('pointerdown', event => {
    event.stopPropagation()
    isQuick = false
  })
  area.addEventListener('blur', () => { if (isOpen) commit(0, 0) })
  bar.addEventListener('focus', () => { before = bar.value })
  bar.addEventListener('blur', () => { if (!isOpen && bar.value !== before) commit(0, 0) })

  return {
    open,
    isOpen: () => isOpen,
    draft,
    commit: () => { if (draft() !== null) commit(0, 0) },
    /** @param {string} value */
    show (value) {
      if (document.activeElement !== bar || bar.value === before) bar.value = value
      before = withLineFeeds(value)
    }
  }
}

/** With the line ends of a field. @param {string} value */
function withLineFeeds (value) {
  return value.replace(/\r\n?/g, '\n')
}
