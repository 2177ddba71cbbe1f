import type { Document } from '@xmldom/xmldom'
import { type OfficePackage, openPackage } from '../office/package.js'
import { parseXml, xmlBudget } from '../office/xml.js'
import type { TextBlock } from '../types.js'
import { isTextFormat } from '../text-file.js'
import { openDocumentBlocks } from './open-document.js'
import { htmlBlocks, lineBlocks, markdownBlocks } from './plain.js'
import { presentationBlocks } from './presentation.js'
import { workbookBlocks } from './workbook.js'
import { readWord } from '../word/read.js'
import { blocksOf } from './blocks.js'

export type ParseXml = (source: string) => Document

/** The text of a document in blocks; `null` for formats whose text only an office suite can read. */
export function textBlocks (fileType: string, bytes: Uint8Array): TextBlock[] | null {
  if (isTextFormat(fileType)) {
    const source = new TextDecoder().decode(bytes)
    if (fileType === 'html' || fileType === 'htm') return htmlBlocks(source)
    if (fileType === 'md') return markdownBlocks(source)
    return lineBlocks(source)
  }
  const read = readers.get(fileType)
  if (read === undefined) return null
  const budget = xmlBudget()
  return read(openPackage(bytes), source => parseXml(source, budget))
}

type Reader = (office: OfficePackage, parse: ParseXml) => TextBlock[]

const readers = new Map<string, Reader>(Object.entries({
  docx: (office: OfficePackage) => blocksOf(readWord(office).doc),
  xlsx: workbookBlocks,
  pptx: presentationBlocks,
  odt: openDocumentBlocks,
  ods: openDocumentBlocks,
  odp: openDocumentBlocks
}))
