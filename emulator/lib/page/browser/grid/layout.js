import { cellName, cornersOf, isInRange } from './places.js'
/** @import { GridCell, GridSheet, Position } from './protocol.js' */

/** @type {GridCell} */
const EMPTY = { value: '', text: '' }
const DEFAULT_WIDTH = 96
const CHARACTER_WIDTH = 7.5

/** Which cells of a sheet are displayed, and where. @param {GridSheet} sheet */
export function layoutOf (sheet) {
  const rows = shown(sheet.rows, sheet.hiddenRows)
  const columns = shown(sheet.columns, sheet.hiddenColumns)
  const rowIndexes = new Map(rows.map((row, index) => [row, index]))
  const columnIndexes = new Map(columns.map((column, index) => [column, index]))
  /** @typedef {{ from: Position, anchor: Position }} Block of merged cells */
  /** @type {Map<string, Block>} */
  const blocks = new Map()
  /** @type {Map<number, Record<number, { rowspan: number, colspan: number }>>} by their indexes */
  const spans = new Map()
  for (const range of sheet.merged) {
    const { from, to } = cornersOf(range)
    const inRows = within(rows, from.row, to.row)
    const inColumns = within(columns, from.column, to.column)
    const [row, column] = [inRows[0], inColumns[0]]
    if (row === undefined || column === undefined) continue
    const block = { from, anchor: { row, column } }
    for (const row of inRows) for (const column of inColumns) blocks.set(`${row} ${column}`, block)
    const at = indexesOf(block.anchor)
    spans.set(at.row, { ...spans.get(at.row), [at.cell]: { rowspan: inRows.length, colspan: inColumns.length } })
  }

  /** Where the grid has a cell, after the column of row numbers. @param {Position} position */
  function indexesOf ({ row, column }) {
    return { row: rowIndexes.get(row) ?? 0, cell: (columnIndexes.get(column) ?? 0) + 1 }
  }

  /** @param {Position} position */
  function blockAt ({ row, column }) {
    return blocks.get(`${row} ${column}`)
  }

  /**
   * The cell that holds the content of a merged block: its first one, visible or hidden.
   * @param {Position} position
   */
  function holder (position) {
    return blockAt(position)?.from ?? position
  }

  /**
   * The displayed cell of a merged block, or the next one after hidden ones.
   * @param {Position} position
   * @returns {Position}
   */
  function anchor (position) {
    const { row, column } = position
    return blockAt(position)?.anchor ?? {
      row: rows.find(number => number >= row) ?? rows.at(-1) ?? row,
      column: columns.find(number => number >= column) ?? columns.at(-1) ?? column
    }
  }

  return {
    rows,
    columns,
    anchor,
    spans,
    /** @param {Position} position */
    isCovered (position) {
      const { row, column } = blockAt(position)?.anchor ?? position
      return row !== position.row || column !== position.column
    },
    holder,
    /** @param {Position} position */
    cellAt: position => sheet.cells[cellName(holder(position))] ?? EMPTY,
    /** @param {Position} position */
    lockAt: position => sheet.locked.find(({ range }) => isInRange(holder(position), range)),
    indexesOf,
    /** @param {number} row @param {number} cell @returns {Position} */
    positionAt: (row, cell) => ({ row: rows[row] ?? 1, column: columns[cell - 1] ?? 1 })
  }
}

/** @param {number} count @param {number[]} hidden */
function shown (count, hidden) {
  const without = new Set(hidden)
  return Array.from({ length: count }, (_, index) => index + 1).filter(number => !without.has(number))
}

/** @param {number[]} numbers @param {number} from @param {number} to */
function within (numbers, from, to) {
  return numbers.filter(number => number >= from && number <= to)
}

/** In pixels. @param {number | undefined} characters */
export function widthOf (characters) {
  return characters === undefined
    ? DEFAULT_WIDTH
    : Math.round(Math.min(Math.max(characters * CHARACTER_WIDTH + 18, 30), 600))
}
