import { cornersOf } from './places.js'
/** @import { GridSheet, Position } from './protocol.js' */

export const ROW_HEIGHT = 26
export const HEAD_WIDTH = 52
const DEFAULT_WIDTH = 96
const CHARACTER_WIDTH = 7.5

/** The positions of a sheet's cells. @param {GridSheet} sheet */
export function layoutOf (sheet) {
  const rows = shown(sheet.rows, sheet.hiddenRows)
  const columns = shown(sheet.columns, sheet.hiddenColumns)
  const rowIndexes = new Map(rows.map((row, index) => [row, index]))
  const columnIndexes = new Map(columns.map((column, index) => [column, index]))
  /** @type {number[]} */
  const lefts = [HEAD_WIDTH]
  for (const column of columns) lefts.push(/** @type {number} */ (lefts.at(-1)) + widthOf(sheet.widths[column]))
  /** Blocks of merged cells. */
  const blocks = sheet.merged.map(range => {
    const { from, to } = cornersOf(range)
    return { from, to: { row: Math.min(to.row, sheet.rows), column: Math.min(to.column, sheet.columns) } }
  })

  /** @type {Map<string, typeof blocks[number]>} */
  const blockByCell = new Map()
  for (const block of blocks) {
    for (let row = block.from.row; row <= block.to.row; row++) {
      for (let column = block.from.column; column <= block.to.column; column++) {
        blockByCell.set(`${row} ${column}`, block)
      }
    }
  }

  /** @param {Position} position */
  function blockOf (position) {
    return mergedAt(position) ?? { from: position, to: position }
  }

  /** @param {Position} position */
  function mergedAt ({ row, column }) {
    return blockByCell.get(`${row} ${column}`)
  }

  /** The indexes of a cell's first row and column and of those after it. @param {Position} position */
  function span (position) {
    const block = mergedAt(position)
    if (block !== undefined) {
      return [...within(rows, block.from.row, block.to.row), ...within(columns, block.from.column, block.to.column)]
    }
    const [row = 0, column = 0] = [rowIndexes.get(position.row), columnIndexes.get(position.column)]
    return [row, row + 1, column, column + 1]
  }

  /** @param {Position} position */
  function box (position) {
    const [firstRow = 0, endRow = 1, firstColumn = 0, endColumn = 1] = span(position)
    const left = lefts[firstColumn] ?? HEAD_WIDTH
    return {
      left,
      top: firstRow * ROW_HEIGHT,
      width: (lefts[endColumn] ?? left) - left,
      height: (endRow - firstRow) * ROW_HEIGHT
    }
  }

  /**
   * The cell at a distance of rows and columns, or the last one in that direction.
   * @param {Position} position
   * @param {number} down
   * @param {number} right
   * @returns {Position}
   */
  function moved (position, down, right) {
    const { from, to } = blockOf(position)
    const row = stepped(rows, rowIndexes.get(down > 0 ? to.row : from.row) ?? 0, down)
    const column = stepped(columns, columnIndexes.get(right > 0 ? to.column : from.column) ?? 0, right)
    return anchor({ row: down === 0 ? position.row : row, column: right === 0 ? position.column : column })
  }

  /** The displayed cell of a merged block. @param {Position} position @returns {Position} */
  function anchor (position) {
    const from = mergedAt(position)?.from
    if (from === undefined && rowIndexes.has(position.row) && columnIndexes.has(position.column)) return position
    return shownFrom(from ?? position)
  }

  /** @param {Position} from @returns {Position} */
  function shownFrom (from) {
    const [row] = within(rows, from.row, Infinity)
    const [column] = within(columns, from.column, Infinity)
    return { row: rows[row] ?? from.row, column: columns[column] ?? from.column }
  }

  return {
    rows,
    columns,
    box,
    moved,
    anchor,
    /** @param {Position} position */
    isCovered (position) {
      if (mergedAt(position) === undefined) return false
      const { row, column } = anchor(position)
      return row !== position.row || column !== position.column
    },
    /**
     * The cell that holds the content of a merged block: its first one, visible or hidden.
     * @param {Position} position
     * @returns {Position}
     */
    holder: position => blockOf(position).from,
    /** The rows of merged blocks that extend into these rows. @param {number} first @param {number} end */
    rowsReaching: (first, end) => blocks.flatMap(({ from, to }) => {
      const [start, stop] = within(rows, from.row, to.row)
      return start < first && stop > first && start < end ? [start] : []
    }),
    lefts,
    width: /** @type {number} */ (lefts.at(-1)),
    height: rows.length * ROW_HEIGHT
  }
}

/** @param {number} count @param {number[]} hidden */
function shown (count, hidden) {
  const without = new Set(hidden)
  return Array.from({ length: count }, (_, index) => index + 1).filter(number => !without.has(number))
}

/** @param {number | undefined} characters */
function widthOf (characters) {
  return characters === undefined
    ? DEFAULT_WIDTH
    : Math.round(Math.min(Math.max(characters * CHARACTER_WIDTH + 18, 30), 600))
}

/**
 * The indexes of the first number in a span and of the first one after it.
 * @param {number[]} numbers ascending
 * @param {number} from
 * @param {number} to
 * @returns {[start: number, end: number]}
 */
function within (numbers, from, to) {
  const start = numbers.findIndex(number => number >= from)
  const end = numbers.findIndex(number => number > to)
  return [start === -1 ? numbers.length : start, end === -1 ? numbers.length : end]
}

/** @param {number[]} numbers @param {number} index @param {number} steps */
function stepped (numbers, index, steps) {
  return numbers[Math.min(Math.max(index + steps, 0), numbers.length - 1)] ?? 1
}
