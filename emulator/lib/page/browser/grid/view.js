import { showToast } from '../frame.js'
import { gridClipboard } from './clipboard.js'
import { gridFrame } from './frame.js'
import { gridInput } from './input.js'
import { gridKeys } from './keys.js'
import { layoutOf } from './layout.js'
import { cellName, idOf, placeOf, positionOf } from './places.js'
import { gridTabs } from './tabs.js'
/** @import { GridContent, GridOutbox, GridSheet, GridView, Position } from './protocol.js' */

const START = { row: 1, column: 1 }
/** @type {GridSheet} */
const NO_SHEET = {
  name: '', rows: 0, columns: 0, cells: {}, merged: [], locked: [], widths: {}, hiddenRows: [], hiddenColumns: []
}

/** Loaded with the first sheet. @type {typeof import('./table.js').gridTable | null} */
let gridTable = null

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
  const { box, name, bar, hint, place, note, tabs } = gridFrame()
  /** @type {Map<string, Position>} where the user was in each sheet */
  const positions = new Map()
  /** @type {ReadonlyMap<string, { name: string, color: number }>} */
  let marks = new Map()
  let sheet = content.sheets[0] ?? NO_SHEET
  let layout = layoutOf(sheet)
  let position = START
  /** @type {ReturnType<typeof import('./table.js').gridTable> | null} */
  let table = null
  /** @type {Map<string, { name: string, color: number }>} marks in the displayed sheet */
  const marksHere = new Map()

  const input = gridInput({ bar, value: valueHere, left: commit })
  const strip = gridTabs(tabs, content.sheets.map(({ name }) => name), show)
  const keys = gridKeys({
    move: direction => table?.move(direction) ?? false,
    cancel: () => table?.cancel(),
    jump,
    type,
    commit,
    clear,
    undo: outbox.undo,
    redo: outbox.redo
  }, input)
  place.addEventListener('keydown', keys, { capture: true })
  bar.addEventListener('keydown', keys)
  place.addEventListener('focusin', announce)
  // A touch scrolls and taps, as the browser does it. The grid would take it for dragging.
  place.addEventListener('touchstart', event => event.stopPropagation(), { capture: true, passive: true })
  place.addEventListener('pointerdown', () => window.focus()) // in its frame, where the cell may have it already
  gridClipboard(place, { texts, clear, fill })
  bar.addEventListener('focus', () => { if (!input.isOpen()) type() })
  container.replaceChildren(box)
  if (gridTable === null) {
    container.setAttribute('aria-busy', 'true')
    import('./table.js').then(loaded => {
      gridTable = loaded.gridTable
      container.setAttribute('aria-busy', 'false')
      show(sheet.name)
    })
  } else show(sheet.name)

  /** @param {string} title of a sheet */
  function show (title) {
    commit()
    positions.set(sheet.name, position)
    sheet = content.sheets.find(({ name }) => name === title) ?? sheet
    layout = layoutOf(sheet)
    position = layout.anchor(positions.get(sheet.name) ?? START)
    note.hidden = sheet.omitted === undefined
    note.textContent = sheet.omitted ?? ''
    strip.select(sheet.name)
    showMarks()
    table?.destroy()
    table = gridTable?.(place, {
      sheet, layout, marks: marksHere, Editor: input.Editor, viewOnly, typed, moved, mayEdit
    }) ?? null
    select(position)
  }

  /** @param {Position} next */
  function select (next) {
    position = next
    table?.select(next)
  }

  /** The user is in another cell. @param {Position} next */
  function moved (next) {
    position = next
    name.textContent = cellName(next)
    bar.readOnly = viewOnly || layout.lockAt(next) !== undefined
    showCell()
    announce()
  }

  function showCell () {
    if (!input.isOpen()) bar.value = valueHere()
    hint.hidden = !layout.cellAt(position).stale
  }

  function valueHere () {
    return layout.cellAt(position).value
  }

  /** @param {number} down @param {number} right */
  function jump (down, right) {
    select(layout.anchor({
      row: down === 0 ? position.row : layout.rows.at(Math.min(0, -down)) ?? 1,
      column: right === 0 ? position.column : layout.columns.at(Math.min(0, -right)) ?? 1
    }))
  }

  /** @param {Position} at @param {string} value */
  function typed (at, value) {
    if (value !== layout.cellAt(at).value) outbox.changed([[idOf(sheet.name, layout.holder(at)), value]])
  }

  /** Shows the reason if it can't. */
  function mayEdit () {
    const lock = layout.lockAt(position)
    if (!viewOnly && lock !== undefined) showToast(`${lock.why}.`)
    return !viewOnly && lock === undefined
  }

  /** @param {string} [first] */
  function type (first) {
    if (!mayEdit()) return table?.focus()
    input.startWith(first)
    table?.type()
  }

  function commit () {
    if (input.isOpen()) table?.commit()
  }

  /** The texts of the selected cells. */
  function texts () {
    return (table?.selected() ?? []).map(line =>
      line.map(at => layout.isCovered(at) ? '' : layout.cellAt(at).text)
    )
  }

  function clear () {
    const cells = (table?.selected() ?? []).flat().filter(at => !layout.isCovered(at) && layout.cellAt(at).value !== '')
    if (cells.length > 0 && mayEdit()) {
      outbox.changed(
        cells.filter(at => layout.lockAt(at) === undefined).map(at => [idOf(sheet.name, layout.holder(at)), ''])
      )
    }
  }

  /** Sets a block of values that starts at the first selected cell. @param {string[][]} block */
  function fill (block) {
    if (!mayEdit()) return
    const { row, column } = table?.selected()[0]?.[0] ?? position
    const values = block.flatMap((line, down) =>
      line.map((value, right) => ({ value, row: row + down, column: column + right }))
    )
    const free = values.filter(at =>
      at.row <= sheet.rows && at.column <= sheet.columns && !layout.isCovered(at) && layout.lockAt(at) === undefined
    )
    outbox.changed(free.map(({ value, ...at }) => [idOf(sheet.name, at), value]))
    const omitted = values.length - free.length
    if (omitted > 0) {
      showToast(`${omitted} of ${values.length} values have no cell here that can be changed: they are left out.`)
    }
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
      table?.changed(positionOf(at.cell), byOther)
      showCell()
    },
    select (id) {
      const at = placeOf(id)
      if (at.sheet !== sheet.name) show(at.sheet)
      select(layout.anchor(positionOf(at.cell)))
    },
    commit,
    isOpen: input.isOpen,
    cancel () {
      if (input.isOpen()) table?.cancel()
    },
    state: () => ({
      sheet: sheet.name,
      position,
      scroll: table?.scroll() ?? [0, 0],
      draft: input.draft(),
      hadFocus: box.contains(document.activeElement)
    }),
    restore (state) {
      positions.set(state.sheet, state.position)
      if (sheet.name !== state.sheet) show(state.sheet)
      if (sheet.name !== state.sheet) return
      select(layout.anchor(state.position))
      table?.scrollTo(state.scroll)
      if (state.hadFocus) table?.focus()
      if (state.draft !== null) type(state.draft)
    },
    place: () => box.contains(document.activeElement) ? idOf(sheet.name, position) : null,
    mark (next) {
      marks = next
      showMarks()
      table?.refresh()
    }
  }
}
