import type { Element } from '@xmldom/xmldom'
import type { OfficePackage } from '../office/package.js'
import { cellText, isFilled } from '../open-sheet/cells.js'
import { runs } from '../open-sheet/runs.js'
import { openSheets } from '../open-sheet/sheets.js'
import type { TextBlock } from '../types.js'

const MAX_REPEATED_CELLS = 64
const MAX_REPEATED_CHARACTERS = 50

/** The rows of an .ods; equal ones below each other once. A sheet starts a page. */
export function openDocumentBlocks (office: OfficePackage): TextBlock[] {
  return openSheets(office).sheets.filter(({ hidden }) => !hidden).flatMap(({ table }, index) =>
    [...runs(table, 'row')].map(({ element }, first): TextBlock => {
      const text = rowText(element)
      return index > 0 && first === 0 ? { text, newPage: true } : { text }
    })
  )
}

function rowText (row: Element): string {
  return [...runs(row, 'cell')].flatMap(({ element, count }) => {
    const text = isFilled(element) ? cellText(element).replaceAll('\n', ' ') : ''
    return Array<string>(text.length > MAX_REPEATED_CHARACTERS ? 1 : Math.min(count, MAX_REPEATED_CELLS)).fill(text)
  }).join('\t').trimEnd()
}
