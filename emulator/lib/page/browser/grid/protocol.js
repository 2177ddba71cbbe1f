/**
 * Sheets and cells in the messages between page and document server. A cell's id is `sheet!B3`.
 *
 * @typedef {{ value: string, text: string, align?: 'center' | 'right', bold?: boolean, stale?: boolean }} GridCell
 *   `value`: what a user types to get it; `text`: the displayed text; `stale`: the text is older than the last changes
 * @typedef {{ name: string, rows: number, columns: number, omitted?: string, cells: Record<string, GridCell>,
 *   merged: string[], locked: Array<{ range: string, why: string }>, widths: Record<string, number>,
 *   hiddenRows: number[], hiddenColumns: number[] }} GridSheet
 * @typedef {{ kind: 'grid', sheets: GridSheet[] }} GridContent
 * @typedef {{ op: 'cell', sheet: string, cell: string, value: string, shown?: GridCell, others?: Record<string, GridCell> }} CellOperation
 * @typedef {{ row: number, column: number }} Position
 * @typedef {object} GridOutbox Receives the edits made in a grid.
 * @property {(changes: ReadonlyArray<readonly [id: string, value: string]>) => void} changed the changes of one undo
 *   step
 * @property {() => void} undo
 * @property {() => void} redo
 * @typedef {{ sheet: string, position: Position, scroll: [left: number, top: number], draft: string | null, hadFocus: boolean }} GridState
 * @typedef {object} GridView Shows sheets.
 * @property {(id: string, cell: GridCell, byOther: boolean) => void} put
 * @property {(id: string) => void} select
 * @property {() => GridState} state where the user is, for `restore`
 * @property {(state: GridState) => void} restore
 * @property {() => void} commit ends typing and keeps the value
 * @property {() => boolean} isOpen whether a cell is being typed into
 * @property {() => void} cancel ends typing and leaves the cell as it was
 * @property {() => string | null} place where the user is, to show to others
 * @property {(marks: ReadonlyMap<string, { name: string, color: number }>) => void} mark shows where others are
 */
export {}
