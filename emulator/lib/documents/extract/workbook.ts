import type { OfficePackage } from '../office/package.js'
import { openSheets } from '../workbook/contents.js'
import type { TextBlock } from '../types.js'

/** At most this many empty columns are kept between two cells. */
const MAX_GAP = 64
const MAX_CHARACTERS = 20_000_000

/**
 * The text of xlsx as its number formats display it. A row is one block with tabs between cells; a sheet starts a page.
 */
export function workbookBlocks (office: OfficePackage): TextBlock[] {
  const { sheets, shown } = openSheets(office)
  let characters = 0
  return sheets.filter(({ hidden }) => !hidden).flatMap((sheet, index) =>
    sheet.xml.rows().map((row, first): TextBlock => {
      let text = ''
      let next = 1
      for (const [column, { content }] of [...sheet.xml.cells(row)].sort(([one], [other]) => one - other)) {
        if (content === '') continue
        const before = text.length
        text += '\t'.repeat(Math.min(column - next, MAX_GAP)) + shown(sheet.content({ row, column })).text
        characters += text.length - before
        if (characters > MAX_CHARACTERS) throw new RangeError('The workbook contains too much text')
        next = column
      }
      return index > 0 && first === 0 ? { text, newPage: true } : { text }
    })
  )
}
