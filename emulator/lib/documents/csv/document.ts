import { isDeepStrictEqual } from 'node:util'
import { type CellOperation, type GridCell, gridsOf } from '../grid.js'
import { quoted, separatedRows } from './file.js'
import type { Editable } from '../types.js'
import { cellName, type Position, positionOf } from '../workbook/references.js'

const BYTE_ORDER_MARK = '\uFEFF'
const SHEET = 'Sheet1'
/** How far after the last row a cell can be set. */
const MAX_NEW_ROWS = 100
const MAX_COLUMN = 1000
const NUMBER = /^[-+]?(?:\d+(?:[.,]\d+)*|\.\d+)(?:e[-+]?\d+)?\s?%?$/i
const PLAIN_NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i

/**
 * A .csv file in UTF-8 as one sheet. An edited one is written in the document server's own way. Throws a `TypeError`
 * for other encodings.
 */
export function separatedDocument (original: Uint8Array): Editable {
  const decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(original)
  let rows = separatedRows(decoded.slice(decoded.startsWith(BYTE_ORDER_MARK) ? 1 : 0))
  let changed = false

  function shown (row: number, column: number): GridCell {
    const value = rows[row - 1]?.[column - 1] ?? ''
    return { value, text: value, ...(NUMBER.test(value) ? { align: 'right' } : {}) }
  }

  function apply ({ sheet, cell, value }: CellOperation): CellOperation | null {
    const position = positionOf(cell)
    if (sheet !== SHEET || position === undefined || !canBeSet(position)) return null
    const text = value.toWellFormed().replace(/\r\n?/g, '\n').replaceAll('\0', '')
    const { row, column } = position
    if (shown(row, column).value.replace(/\r\n?/g, '\n') === text) return null
    set(row, column, text)
    changed = true
    const now = shown(row, column)
    return { op: 'cell', sheet, cell: cellName(position), value: now.value, shown: now }
  }

  function set (row: number, column: number, text: string): void {
    while (rows.length < row) rows.push(Array<string>(rows[0]?.length ?? 1).fill(''))
    const fields = rows[row - 1]!
    while (fields.length < column) fields.push('')
    fields[column - 1] = text
  }

  function canBeSet ({ row, column }: Position): boolean {
    return row <= rows.length + MAX_NEW_ROWS && column <= Math.max(MAX_COLUMN, rows[row - 1]?.length ?? 0)
  }

  return {
    view: () => ({
      kind: 'grid',
      sheets: gridsOf([{
        name: SHEET,
        cells: rows.flatMap((fields, index) => fields.flatMap((field, column) => {
          const at = { row: index + 1, column: column + 1 }
          return field === '' ? [] : [[at, () => shown(at.row, at.column)] as const]
        })),
        merged: [],
        locked: [],
        hiddenRows: [],
        isHiddenColumn: () => false
      }])
    }),
    apply: operation => operation.op === 'cell' ? apply(operation) : null,
    replaceText (text) {
      const replaced = separatedRows(text)
      if (isDeepStrictEqual(rows, replaced)) return false
      rows = replaced
      changed = true
      return true
    },
    bytes: () => changed ? new TextEncoder().encode(asSaved(rows)) : original
  }
}

/**
 * With a byte order mark, commas and line feeds, quotation marks only where they are needed, numbers and truth values
 * as the editor shows them, and an empty cell more in each row. Source: docs/document-server-protocol.md#csv-files
 */
function asSaved (rows: readonly string[][]): string {
  return BYTE_ORDER_MARK + rows.map(fields => `${[...fields.map(savedField), ''].join(',')}\n`).join('')
}

function savedField (value: string): string {
  if (PLAIN_NUMBER.test(value)) return String(Number(Number(value).toPrecision(15)))
  return /^(?:true|false)$/i.test(value) ? value.toUpperCase() : quoted(value)
}
