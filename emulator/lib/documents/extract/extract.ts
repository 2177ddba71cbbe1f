import { openPackage } from '../office/package.js'
import type { TextBlock } from '../types.js'
import { isTextFormat } from '../text-file.js'
import { openDocumentBlocks } from './open-document.js'
import { htmlBlocks, lineBlocks, markdownBlocks } from './plain.js'
import { workbookBlocks } from './workbook.js'
import { blocksOf, texts } from './texts.js'

/** The text of a document in blocks; `null` for formats whose text only an office suite can read. */
export function textBlocks (fileType: string, bytes: Uint8Array): TextBlock[] | null {
  if (isTextFormat(fileType)) {
    const source = new TextDecoder().decode(bytes)
    if (fileType === 'html' || fileType === 'htm') return htmlBlocks(source)
    if (fileType === 'md') return markdownBlocks(source)
    return lineBlocks(source)
  }
  if (texts.has(fileType)) return blocksOf(texts.get(fileType)!(openPackage(bytes)).doc)
  if (fileType === 'xlsx') return workbookBlocks(openPackage(bytes))
  if (fileType === 'ods') return openDocumentBlocks(openPackage(bytes))
  return null
}
