/**
 * Sheets and cells, as the page and the document server tell each other. A cell's id is `sheet!B3`.
 *
 * @typedef {{ value: string, text: string, align?: 'center' | 'right', bold?: boolean, stale?: boolean }} GridCell
 *   `value`: what one would type to get it; `text`: what is shown; `stale`: the text is from before the last changes
 * @typedef {{ name: string, rows: number, columns: number, omitted?: string, cells: Record<string, GridCell>, merged: string[],
 *   locked: Array<{ range: string, why: string }>, widths: Record<string, number>, hiddenRows: number[], hiddenColumns: number[] }} GridSheet
 * @typedef {{ kind: 'grid', sheets: GridSheet[] }} GridContent
 * @typedef {{ op: 'cell', sheet: string, cell: string, value: string, shown?: GridCell, others?: Record<string, GridCell> }} CellOperation
 * @typedef {{ row: number, column: number }} Position
 * @typedef {object} GridOutbox What a grid tells of its edits.
 * @property {(changes: ReadonlyArray<readonly [id: string, value: string]>) => void} changed what one step changes, for undoing
 * @property {() => void} undo
 * @property {() => void} redo
 * @typedef {{ sheet: string, position: Position, scroll: [left: number, top: number], draft: string | null, hadFocus: boolean }} GridState
 * @typedef {object} GridView Shows sheets.
 * @property {(id: string, cell: GridCell, byOther: boolean) => void} put
 * @property {(id: string) => void} select
 * @property {() => GridState} state where the user is, to go there again
 * @property {(state: GridState) => void} restore
 * @property {() => void} commit what is being typed
 * @property {() => string | null} place where the user is, for others
 * @property {(marks: ReadonlyMap<string, { name: string, color: number }>) => void} mark shows where others are
 */
export {}
