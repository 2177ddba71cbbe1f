import { openPackage } from '../office/package.js'
import type { TextBlock } from '../types.js'
import { isTextFormat } from '../text-file.js'
import { openDocumentBlocks } from './open-document.js'
import { htmlBlocks, lineBlocks } from './plain.js'
import { workbookBlocks } from './workbook.js'
import { blocksOf, texts } from './texts.js'

export const OPEN_DOCUMENT: ReadonlySet<string> = new Set(['odt', 'odp', 'ods'])

/** The text of a document in blocks; `null` for formats whose text only an office suite can read. */
export function textBlocks (fileType: string, bytes: Uint8Array): TextBlock[] | null {
  if (isTextFormat(fileType)) {
    const source = new TextDecoder().decode(bytes)
    return fileType === 'html' || fileType === 'htm' ? htmlBlocks(source) : lineBlocks(source)
  }
  if (texts.has(fileType)) return blocksOf(texts.get(fileType)!(openPackage(bytes)).doc)
  if (fileType === 'xlsx') return workbookBlocks(openPackage(bytes))
  if (OPEN_DOCUMENT.has(fileType)) return openDocumentBlocks(openPackage(bytes))
  return null
}
