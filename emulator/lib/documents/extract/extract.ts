import { openPackage } from '../office/package.js'
import type { TextBlock } from '../types.js'
import { isTextFormat } from '../text-file.js'
import { openDocumentBlocks } from './open-document.js'
import { workbookBlocks } from './workbook.js'
import { blocksOf, texts } from './texts.js'

export const OPEN_DOCUMENT: ReadonlySet<string> = new Set(['odt', 'odp', 'ods'])
const MAX_LINES = 1_000_000

/** The text of a document in blocks; `null` for formats whose text only an office suite can read. */
export function textBlocks (fileType: string, bytes: Uint8Array): TextBlock[] | null {
  if (isTextFormat(fileType)) return lineBlocks(new TextDecoder().decode(bytes))
  if (texts.has(fileType)) return blocksOf(texts.get(fileType)!(openPackage(bytes)).doc)
  if (fileType === 'xlsx') return workbookBlocks(openPackage(bytes))
  if (OPEN_DOCUMENT.has(fileType)) return openDocumentBlocks(openPackage(bytes))
  return null
}

/** Of a text format, the source. */
function lineBlocks (source: string): TextBlock[] {
  const lines = source.split(/\r\n?|\n/, MAX_LINES + 1)
  if (lines.length > MAX_LINES) throw new RangeError(`The text has more than ${MAX_LINES} lines`)
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines.map(text => ({ text }))
}
