import { quoted, separatedRows } from '../csv/file.js'
import { emptyTemplate } from '../empty.js'
import { openPackage } from '../office/package.js'
import { openWorkbook } from '../workbook/open.js'
import { cellName } from '../workbook/references.js'
import { workbookDocument } from '../workbook/workbook.js'

const MAX_CHARACTERS = 20_000_000

/** The first visible sheet of a .xlsx file, as its number formats display it. */
export function csvOf (bytes: Uint8Array): Buffer {
  const { sheets, shown } = openWorkbook(openPackage(bytes))
  const sheet = sheets.find(({ hidden }) => !hidden)
  let text = ''
  let [row, column] = [1, 1]
  for (const [position, content] of sheet?.used() ?? []) {
    if (position.row !== row) column = 1
    if (text.length + position.row - row + position.column > MAX_CHARACTERS) {
      throw new RangeError('The workbook contains too much text')
    }
    text += '\n'.repeat(position.row - row) + ','.repeat(position.column - column)
    text += quoted(shown(content).text)
    ;({ row, column } = position)
  }
  return Buffer.from(`${text}\n`)
}

/** A text with commas between its fields, with another separator. */
export function separatedBy (separator: string, bytes: Uint8Array): Buffer {
  const rows = separatedRows(Buffer.from(bytes).toString(), ',')
  return Buffer.from(rows.map(fields => `${fields.map(field => quoted(field, separator)).join(separator)}\n`).join(''))
}

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
