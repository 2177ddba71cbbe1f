import { separatedRows } from '../csv/file.js'
import { emptyTemplate } from '../empty/template.js'
import { workbookDocument } from '../workbook/workbook.js'
import { cellName } from '../workbook/references.js'

/** A workbook with the fields of a .csv file as if they were typed; `null` if they don't fit. */
export function workbookOf (bytes: Uint8Array): Uint8Array | null {
  const workbook = workbookDocument(emptyTemplate('xlsx'))
  for (const [row, fields] of separatedRows(new TextDecoder().decode(bytes), ',').entries()) {
    for (const [column, value] of fields.entries()) {
      if (value === '') continue
      const cell = cellName({ row: row + 1, column: column + 1 })
      if (workbook.apply({ op: 'cell', sheet: 'Sheet1', cell, value }) === null) return null
    }
  }
  return workbook.bytes()
}
