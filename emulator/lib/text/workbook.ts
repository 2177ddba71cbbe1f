import type { OfficePackage } from '../editing/package.js'
import { openSheets } from '../editing/workbook/contents.js'
import type { TextBlock } from './blocks.js'

/** Columns left empty between two cells are kept up to this number. */
const MAX_GAP = 64

/** Text of xlsx as its number formats show it: a row is one block with a tab between cells, a sheet begins a page. */
export function workbookBlocks (office: OfficePackage): TextBlock[] {
  const { sheets, shown } = openSheets(office)
  return sheets.filter(({ hidden }) => !hidden).flatMap((sheet, index) => sheet.xml.rows().map((row, first): TextBlock => {
    let text = ''
    let next = 1
    for (const [column, { content }] of [...sheet.xml.cells(row)].sort(([one], [other]) => one - other)) {
      if (content === '') continue
      text += '\t'.repeat(Math.min(column - next, MAX_GAP)) + shown(sheet.content({ row, column })).text
      next = column
    }
    return index > 0 && first === 0 ? { text, newPage: true } : { text }
  }))
}
