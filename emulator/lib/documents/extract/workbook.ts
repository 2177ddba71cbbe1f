import type { OfficePackage } from '../office/package.js'
import { openWorkbook } from '../workbook/open.js'
import type { TextBlock } from '../types.js'

/** At most this many empty columns are kept between two cells. */
const MAX_GAP = 64
const MAX_CHARACTERS = 20_000_000

/**
 * The text of xlsx as its number formats display it. A row is one block with tabs between cells; a sheet starts a page.
 */
export function workbookBlocks (office: OfficePackage): TextBlock[] {
  const { sheets, shown } = openWorkbook(office)
  let characters = 0
  return sheets.filter(({ hidden }) => !hidden).flatMap((sheet, index) => {
    const blocks: Array<{ text: string, newPage?: true }> = []
    let last = { row: 0, column: 1 }
    for (const [position, content] of sheet.used()) {
      if (position.row !== last.row) {
        blocks.push(index > 0 && last.row === 0 ? { text: '', newPage: true } : { text: '' })
        last = { row: position.row, column: 1 }
      }
      const text = '\t'.repeat(Math.min(position.column - last.column, MAX_GAP)) + shown(content).text
      characters += text.length
      if (characters > MAX_CHARACTERS) throw new RangeError('The workbook contains too much text')
      blocks.at(-1)!.text += text
      last = position
    }
    return blocks
  })
}
