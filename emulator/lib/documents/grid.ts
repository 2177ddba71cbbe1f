import { cellName, type Position, type Range, rangeName } from './workbook/references.js'
import type { ColumnLook } from './workbook/sheet.js'

/** A cell as an editor displays it. Empty cells are omitted. */
export interface GridCell {
  /** What a user types to get it: a formula starts with `=`, a text that looks like something else with `'`. */
  readonly value: string
  /** The displayed text. */
  readonly text: string
  /** @default 'left' */
  readonly align?: 'center' | 'right'
  readonly bold?: boolean
  /** The value is older than the last changes. An office suite calculates it when it opens the file. */
  readonly stale?: boolean
}

export interface LockedCells {
  /** `A1:B2` */
  readonly range: string
  readonly why: string
}

/** The first rows and columns of a sheet, as an editor displays them. */
export interface GridSheet {
  readonly name: string
  readonly rows: number
  readonly columns: number
  /** A note on what is not displayed. */
  readonly omitted?: string
  readonly cells: Readonly<Record<string, GridCell>>
  readonly merged: readonly string[]
  readonly locked: readonly LockedCells[]
  /** The widths of columns that specify one, in characters. */
  readonly widths: Readonly<Record<string, number>>
  readonly hiddenRows: readonly number[]
  readonly hiddenColumns: readonly number[]
}

/** The last value set in a cell wins. Changes to different cells don't conflict. */
export interface CellOperation {
  readonly op: 'cell'
  readonly sheet: string
  /** `B3` */
  readonly cell: string
  /** What is typed into it: a number, a text, `=A1+B1`… An empty string clears it. */
  readonly value: string
  /** The cell as displayed now. */
  readonly shown?: GridCell
  /** Other cells whose display changes, by `sheet!cell`. */
  readonly others?: Readonly<Record<string, GridCell>>
}

const MAX_ROWS = 2000
const MAX_COLUMNS = 100
/** Limit for the displayed cells of all sheets together. */
const MAX_CELLS = 100_000
const MAX_CHARACTERS = 10_000_000
const MIN_ROWS = 60
const MIN_COLUMNS = 26
const SPARE_ROWS = 20
const SPARE_COLUMNS = 3

/**
 * How much of a sheet is displayed: the used part with some empty rows and columns, within the limits of a page.
 * `atMost`: the limit for rows, if they have too many cells.
 */
export function shownSize (
  rows: number,
  columns: number,
  atMost = MAX_ROWS
): Pick<GridSheet, 'rows' | 'columns' | 'omitted'> {
  const size = {
    rows: Math.min(MAX_ROWS, atMost, Math.max(MIN_ROWS, rows + SPARE_ROWS)),
    columns: Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, columns + SPARE_COLUMNS))
  }
  if (rows <= size.rows && columns <= size.columns) return size
  const count = (number: number) => number.toLocaleString('en')
  return {
    ...size,
    omitted: `Shown are ${count(size.rows)} of ${count(Math.max(rows, size.rows))} rows and ${count(size.columns)} of ${count(Math.max(columns, size.columns))} columns. The others stay as they are.`
  }
}

type Size = Pick<GridSheet, 'rows' | 'columns'>

/** A sheet of any size. */
export interface WholeSheet extends Pick<GridSheet, 'name' | 'locked'> {
  /** The last row and column with a cell that is not empty; 0 without one. */
  readonly last: Position
  readonly columns: readonly ColumnLook[]
  /** The cells that are not empty, row by row. */
  cells (within: Size): Iterable<readonly [Position, GridCell]>
  merged (within: Size): readonly Range[]
  hiddenRows (within: Size): readonly number[]
}

/** The change of a cell, as the editors get it. `others`: what else is displayed in another way now. */
export function cellChange (
  sheet: string,
  position: Position,
  shown: GridCell,
  others: Readonly<Record<string, GridCell>>
): CellOperation {
  return {
    op: 'cell',
    sheet,
    cell: cellName(position),
    value: shown.value,
    shown,
    ...(Object.keys(others).length > 0 && { others })
  }
}

/** The sheets as an editor displays them. */
export function gridsOf (sheets: readonly WholeSheet[]): GridSheet[] {
  const left = { cells: MAX_CELLS, characters: MAX_CHARACTERS }
  return sheets.map(sheet => gridOf(sheet, left))
}

/** The rows of a sheet that a page can show: of a very large sheet only the first ones. */
function gridOf (sheet: WholeSheet, left: { cells: number, characters: number }): GridSheet {
  const { name, last, locked } = sheet
  const cells: Record<string, GridCell> = {}
  let end: number | undefined
  for (const [position, cell] of sheet.cells(shownSize(last.row, last.column))) {
    if (left.cells <= 0 || left.characters <= 0) {
      end = position.row
      break
    }
    cells[cellName(position)] = cell
    left.cells--
    left.characters -= cell.value.length + cell.text.length
  }
  const size = shownSize(last.row, last.column, end)
  const columns = Array.from({ length: size.columns }, (_, index) => index + 1)
  const lookOf = (column: number) => sheet.columns.find(({ from, to }) => column >= from && column <= to)
  return {
    name,
    ...size,
    cells,
    merged: sheet.merged(size).filter(({ top, left }) => top <= size.rows && left <= size.columns).map(rangeName),
    locked: locked.map(({ range, why }) => ({ range, why })),
    widths: Object.fromEntries(columns.flatMap(column => {
      const width = lookOf(column)?.width ?? null
      return width === null ? [] : [[column, width]]
    })),
    hiddenRows: sheet.hiddenRows(size).filter(row => row <= size.rows),
    hiddenColumns: columns.filter(column => lookOf(column)?.hidden === true)
  }
}
