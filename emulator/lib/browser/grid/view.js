import { showToast } from '../frame.js'
import { gridClipboard } from './clipboard.js'
import { gridFrame } from './frame.js'
import { gridInput } from './input.js'
import { gridKeys } from './keys.js'
import { layoutOf } from './layout.js'
import { cellName, idOf, isInRange, placeOf, positionOf } from './places.js'
import { cellAt, gridTable } from './table.js'
import { gridTabs } from './tabs.js'
/** @import { GridContent, GridOutbox, GridSheet, GridView, Position } from './protocol.js' */

const START = { row: 1, column: 1 }
/** @type {GridSheet} */
const NO_SHEET = {
  name: '',
  rows: 0,
  columns: 0,
  cells: {},
  merged: [],
  locked: [],
  widths: {},
  hiddenRows: [],
  hiddenColumns: []
}

/**
 * Shows one sheet at a time and edits its cells.
 *
 * @param {HTMLElement} container
 * @param {GridContent} content
 * @param {boolean} viewOnly
 * @param {GridOutbox} outbox
 * @returns {GridView}
 */
export function gridView (container, content, viewOnly, outbox) {
  const { box, name, bar, hint, scroller, note, tabs } = gridFrame(viewOnly)
  /** @type {Map<string, Position>} where the user was in each sheet */
  const positions = new Map()
  /** @type {ReadonlyMap<string, { name: string, color: number }>} */
  let marks = new Map()
  let sheet = content.sheets[0] ?? NO_SHEET
  let position = START
  /** @type {ReturnType<typeof layoutOf>} */ let layout
  /** @type {ReturnType<typeof gridTable>} */ let table
  /** @type {Map<string, { name: string, color: number }>} marks in the displayed sheet */
  const marksHere = new Map()

  const input = gridInput({
    bar,
    done (value, down, right) {
      const id = idOf(sheet.name, layout.holder(position))
      if (value !== null && value !== valueHere()) outbox.changed([[id, value]])
      if (down !== 0 || right !== 0 || !isTyping()) focusGrid()
      move(down, right)
    },
    left: focusGrid
  })
  const strip = gridTabs(tabs, content.sheets.map(({ name }) => name), show)
  scroller.addEventListener('keydown', gridKeys({ move, type, clear, undo: outbox.undo, redo: outbox.redo }))
  scroller.addEventListener('pointerdown', event => {
    const cell = cellAt(event)
    if (cell === null) return
    event.preventDefault()
    input.commit()
    select(cell)
    focusGrid()
  })
  scroller.addEventListener('dblclick', event => { if (cellAt(event) !== null) type() })
  scroller.addEventListener('focus', announce)
  gridClipboard(scroller, { text: () => table.shownAt(position).text, clear, fill })
  bar.addEventListener('focus', () => { if (!mayEdit()) focusGrid() })
  container.replaceChildren(box)
  show(sheet.name)

  /** @param {string} title of a sheet */
  function show (title) {
    input.commit()
    positions.set(sheet.name, position)
    sheet = content.sheets.find(({ name }) => name === title) ?? sheet
    layout = layoutOf(sheet)
    scroller.setAttribute('aria-label', sheet.name)
    scroller.setAttribute('aria-rowcount', String(sheet.rows + 1))
    scroller.setAttribute('aria-colcount', String(sheet.columns + 1))
    scroller.scrollTo(0, 0)
    showMarks()
    table = gridTable(scroller, sheet, layout, marksHere)
    note.hidden = sheet.omitted === undefined
    note.textContent = sheet.omitted ?? ''
    strip.select(sheet.name)
    select(layout.anchor(positions.get(sheet.name) ?? START))
  }

  /** @param {Position} next */
  function select (next) {
    position = next
    table.setCurrent(next)
    name.textContent = cellName(next)
    bar.readOnly = viewOnly || lockAt(position) !== undefined
    input.show(valueHere())
    showHint()
    announce()
  }

  function showHint () {
    hint.hidden = !table.shownAt(position).stale
  }

  /** @param {number} down @param {number} right */
  function move (down, right) {
    const next = layout.moved(position, down, right)
    const isElsewhere = next.row !== position.row || next.column !== position.column
    if (isElsewhere) select(next)
    return isElsewhere
  }

  function valueHere () {
    return table.shownAt(position).value
  }

  /** @param {Position} at */
  function lockAt (at) {
    return sheet.locked.find(({ range }) => isInRange(layout.holder(at), range))
  }

  /** Shows the reason if it can't. */
  function mayEdit () {
    const lock = lockAt(position)
    if (!viewOnly && lock !== undefined) showToast(`${lock.why}.`)
    return !viewOnly && lock === undefined
  }

  /** @param {string} [first] */
  function type (first) {
    if (mayEdit()) input.open(table.body, layout.box(position), valueHere(), first)
  }

  function clear () {
    if (valueHere() !== '' && mayEdit()) outbox.changed([[idOf(sheet.name, layout.holder(position)), '']])
  }

  /** Sets a block of values that starts at this cell. @param {string[][]} block */
  function fill (block) {
    if (!mayEdit()) return
    const values = block.flatMap((line, down) =>
      line.map((value, right) => ({ value, row: position.row + down, column: position.column + right }))
    )
    const free = values.filter(at =>
      at.row <= sheet.rows && at.column <= sheet.columns && !layout.isCovered(at) && lockAt(at) === undefined
    )
    outbox.changed(free.map(({ value, ...at }) => [idOf(sheet.name, at), value]))
    if (free.length < values.length) showToast(`${values.length - free.length} of ${values.length} values have no cell here that can be changed: they are left out.`)
  }

  function isTyping () {
    return input.isOpen() || document.activeElement === bar
  }

  function focusGrid () {
    scroller.focus({ preventScroll: true })
  }

  /** Tells the others where the user is; see place.js. */
  function announce () {
    document.dispatchEvent(new Event('selectionchange'))
  }

  function showMarks () {
    marksHere.clear()
    for (const [id, mark] of marks) if (placeOf(id).sheet === sheet.name) marksHere.set(placeOf(id).cell, mark)
    strip.mark(new Map([...marks].map(([id, mark]) => [placeOf(id).sheet, mark])))
  }

  return {
    put (id, cell, byOther) {
      const at = placeOf(id)
      const target = content.sheets.find(({ name }) => name === at.sheet)
      if (target === undefined) return
      target.cells[at.cell] = cell
      if (target !== sheet) return
      table.changed(positionOf(at.cell), byOther)
      showHint()
      if (cellName(layout.holder(position)) === at.cell && !input.isOpen()) input.show(cell.value)
    },
    select (id) {
      const at = placeOf(id)
      if (at.sheet !== sheet.name) show(at.sheet)
      select(layout.anchor(positionOf(at.cell)))
    },
    commit: input.commit,
    state: () => ({
      sheet: sheet.name,
      position,
      scroll: [scroller.scrollLeft, scroller.scrollTop],
      draft: input.draft(),
      hadFocus: box.contains(document.activeElement)
    }),
    restore (state) {
      if (sheet.name !== state.sheet) show(state.sheet)
      if (sheet.name !== state.sheet) return
      select(layout.anchor(state.position))
      scroller.scrollTo(...state.scroll)
      table.draw()
      if (state.hadFocus) focusGrid()
      if (state.draft !== null) type(state.draft)
    },
    place: () => box.contains(document.activeElement) ? idOf(sheet.name, position) : null,
    mark (next) {
      marks = next
      showMarks()
      table.refresh()
    }
  }
}
