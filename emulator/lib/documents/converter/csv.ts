import { quoted, separatedRows } from '../csv/file.js'
import { openPackage } from '../office/package.js'
import { openSheets } from '../workbook/contents.js'

const MAX_CHARACTERS = 20_000_000

/** The first visible sheet of a .xlsx file, as its number formats display it. */
export function csvOf (bytes: Uint8Array): Buffer {
  const { sheets, shown } = openSheets(openPackage(bytes))
  const sheet = sheets.find(({ hidden }) => !hidden)
  let text = ''
  let [row, column] = [1, 1]
  for (const position of sheet?.used() ?? []) {
    if (position.row !== row) column = 1
    if (text.length + position.row - row + position.column > MAX_CHARACTERS) {
      throw new RangeError('The workbook contains too much text')
    }
    text += '\n'.repeat(position.row - row) + ','.repeat(position.column - column)
    text += quoted(shown(sheet!.content(position)).text)
    ;({ row, column } = position)
  }
  return Buffer.from(`${text}\n`)
}

/** A text with commas between its fields, with another separator. */
export function separatedBy (separator: string, bytes: Uint8Array): Buffer {
  const rows = separatedRows(Buffer.from(bytes).toString(), ',')
  return Buffer.from(rows.map(fields => `${fields.map(field => quoted(field, separator)).join(separator)}\n`).join(''))
}
