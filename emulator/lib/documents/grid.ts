/** A cell as an editor shows it. Empty ones are left out. */
export interface GridCell {
  /** What one would type to get it: a formula begins with `=`, a text that looks like something else with `'`. */
  readonly value: string
  /** What is shown of it. */
  readonly text: string
  /** Default: left. */
  readonly align?: 'center' | 'right'
  readonly bold?: boolean
  /** Its value is from before the last changes: an office suite calculates it when it opens the file. */
  readonly stale?: boolean
}

export interface LockedCells {
  /** `A1:B2` */
  readonly range: string
  readonly why: string
}

/** A sheet as an editor shows it: its first rows and columns. */
export interface GridSheet {
  readonly name: string
  readonly rows: number
  readonly columns: number
  /** What is there and not shown. */
  readonly omitted?: string
  readonly cells: Readonly<Record<string, GridCell>>
  readonly merged: readonly string[]
  readonly locked: readonly LockedCells[]
  /** Of columns that have one, in characters. */
  readonly widths: Readonly<Record<string, number>>
  readonly hiddenRows: readonly number[]
  readonly hiddenColumns: readonly number[]
}

/** The last one who sets a cell wins; changes of different cells never meet. */
export interface CellOperation {
  readonly op: 'cell'
  readonly sheet: string
  /** `B3` */
  readonly cell: string
  /** What is typed into it: a number, a text, `=A1+B1`… Empty clears it. */
  readonly value: string
  /** What is shown of it now. */
  readonly shown?: GridCell
  /** Other cells that have to be shown anew, by `sheet!cell`. */
  readonly others?: Readonly<Record<string, GridCell>>
}

const MAX_ROWS = 2000
const MAX_COLUMNS = 100
/** That are shown of all sheets together. */
export const MAX_CELLS = 100_000
export const MAX_CHARACTERS = 10_000_000
const MIN_ROWS = 60
const MIN_COLUMNS = 26
const SPARE_ROWS = 20
const SPARE_COLUMNS = 3

/**
 * How much of a sheet is shown: what is used, some empty rows and columns, and not more than a page can bear.
 * `atMost`: rows, where those have too many cells.
 */
export function shownSize (rows: number, columns: number, atMost = MAX_ROWS): Pick<GridSheet, 'rows' | 'columns' | 'omitted'> {
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
