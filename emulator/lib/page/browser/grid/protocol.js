/**
 * Sheets and cells in the messages between page and document server. A cell's id is `sheet!B3`.
 *
 * @typedef {{ value: string, text: string, align?: 'center' | 'right', bold?: boolean, fill?: string, stale?: boolean }} GridCell
 *   `value`: what a user types to get it; `text`: the displayed text; `stale`: the text is older than the last changes
 * @typedef {{ name: string, rows: number, columns: number, omitted?: string, cells: Record<string, GridCell>,
 *   merged: string[], locked: Array<{ range: string, why: string }>, hiddenRows: number[],
 *   hiddenColumns: number[], widths: Record<number, number> }} GridSheet
 * @typedef {{ kind: 'grid', sheets: GridSheet[] }} GridContent
 * @typedef {{ op: 'cell', sheet: string, cell: string, value: string, shown?: GridCell, others?: Record<string, GridCell> }} CellOperation
 * @typedef {{ row: number, column: number }} Position
 * @typedef {object} GridCells What a view shows, and receives.
 * @property {(id: string) => GridCell} cellAt
 * @property {(id: string, value: string) => void} typed
 * @typedef {object} GridView Shows sheets.
 * @property {(id: string) => void} changed another value is to be shown
 * @property {(content: GridContent) => void} renew shows the document anew; a cell that is being typed into stays open
 * @property {() => void} focus
 * @property {() => void} commit ends typing and keeps the value
 * @property {() => boolean} isOpen whether a cell is being typed into
 * @property {() => void} cancel ends typing and leaves the cell as it was
 * @property {() => string} cell where the user is
 * @property {() => string | null} place where the user is, to show to others
 * @property {(marks: ReadonlyMap<string, { name: string, color: number }>) => void} mark shows where others are
 */
export {}
