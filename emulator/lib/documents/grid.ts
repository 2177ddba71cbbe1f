import { cellName, type Position, type Range, rangeName } from './workbook/references.js'

/** A cell as an editor displays it. Empty cells are omitted. */
export interface GridCell {
  /** What a user types to get it: a formula starts with `=`, a text that looks like something else with `'`. */
  readonly value: string
  /** The displayed text. */
  readonly text: string
  /** @default 'left' */
  readonly align?: 'center' | 'right'
  readonly bold?: boolean
  /** `#f1e4d3` */
  readonly fill?: string
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
  readonly hiddenRows: readonly number[]
  readonly hiddenColumns: readonly number[]
  /** In pixels, of the columns for which the file has one. */
  readonly widths: Readonly<Record<number, number>>
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

const MAX_ROWS = 500
const MAX_COLUMNS = 50
/** Limit for the displayed characters of all sheets together. */
const MAX_CHARACTERS = 10_000_000
const MIN_ROWS = 60
const MIN_COLUMNS = 26
const SPARE_ROWS = 20
const SPARE_COLUMNS = 3

/** A sheet of any size. */
export interface WholeSheet extends Pick<GridSheet, 'name' | 'locked' | 'hiddenRows'> {
  /** The cells that are not empty, row by row. */
  readonly cells: ReadonlyArray<readonly [Position, () => GridCell]>
  readonly merged: readonly Range[]
  isHiddenColumn (column: number): boolean
  widthOf? (column: number): number | undefined
}

/** The sheets as an editor displays them: the used part with some empty rows and columns, within limits. */
export function gridsOf (sheets: readonly WholeSheet[]): GridSheet[] {
  let left = MAX_CHARACTERS
  return sheets.map(({ name, cells: all, merged, locked, hiddenRows, isHiddenColumn, widthOf }) => {
    const last = all.reduce(
      (so, [{ row, column }]) => ({ row: Math.max(so.row, row), column: Math.max(so.column, column) }),
      { row: 0, column: 0 }
    )
    let rows = Math.min(MAX_ROWS, Math.max(MIN_ROWS, last.row + SPARE_ROWS))
    const columns = Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, last.column + SPARE_COLUMNS))
    const cells: Record<string, GridCell> = {}
    for (const [position, view] of all) {
      if (left <= 0) rows = Math.min(rows, position.row)
      if (position.row > rows) break
      if (left <= 0 || position.column > columns) continue
      const cell = cells[cellName(position)] = view()
      left -= cell.value.length + cell.text.length
    }
    const count = (number: number) => number.toLocaleString('en')
    const share = (shown: number, end: number) => `${count(shown)} of ${count(Math.max(end, shown))}`
    const numbers = Array.from({ length: columns }, (_, index) => index + 1)
    return {
      name,
      rows,
      columns,
      ...(last.row > rows || last.column > columns
        ? { omitted: `Shown are ${share(rows, last.row)} rows and ${share(columns, last.column)} columns. The others stay as they are.` }
        : {}),
      cells,
      merged: merged.filter(({ top, left }) => top <= rows && left <= columns).map(rangeName),
      locked: locked.map(({ range, why }) => ({ range, why })),
      hiddenRows: hiddenRows.filter(row => row <= rows),
      hiddenColumns: numbers.filter(isHiddenColumn),
      widths: Object.fromEntries(numbers.flatMap(column => {
        const width = widthOf?.(column)
        return width === undefined ? [] : [[column, width]]
      }))
    }
  })
}
