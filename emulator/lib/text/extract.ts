import { DOMParser, type Document } from '@xmldom/xmldom'
import { openPackage } from '../editing/package.js'
import type { TextBlock } from './blocks.js'
import { isTextFormat } from './formats.js'
import { openDocumentBlocks } from './open-document.js'
import { htmlBlocks, markdownBlocks } from './plain.js'
import { presentationBlocks } from './presentation.js'
import { workbookBlocks } from './workbook.js'
import { wordBlocks } from './word.js'

export type ParseXml = (source: string) => Document

/** The text of a document, block by block; `null` for formats whose text can't be read without an office suite. */
export function textBlocks (fileType: string, bytes: Uint8Array): TextBlock[] | null {
  if (isTextFormat(fileType)) {
    const source = new TextDecoder().decode(bytes).replace(/\r\n?/g, '\n')
    if (fileType === 'html' || fileType === 'htm') return htmlBlocks(source)
    if (fileType === 'md') return markdownBlocks(source)
    return source.replace(/\n$/, '').split('\n').map(text => ({ text }))
  }
  const read = readers[fileType]
  if (read === undefined) return null
  const parse: ParseXml = source => new DOMParser().parseFromString(source, 'application/xml')
  return read(openPackage(bytes), parse)
}

const readers: Record<string, typeof wordBlocks> = {
  docx: wordBlocks,
  xlsx: workbookBlocks,
  pptx: presentationBlocks,
  odt: openDocumentBlocks,
  ods: openDocumentBlocks,
  odp: openDocumentBlocks
}
