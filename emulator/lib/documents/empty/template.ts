import { zipOf } from '../office/zip.js'
import { openDocumentParts } from './open-document.js'
import { presentationParts } from './presentation.js'
import { wordParts } from './word.js'
import { workbookParts } from './workbook.js'
import type { Parts } from './xml.js'

const TEMPLATES: Readonly<Record<string, () => Parts>> = {
  docx: wordParts,
  xlsx: workbookParts,
  pptx: presentationParts,
  odt: () => openDocumentParts('text'),
  ods: () => openDocumentParts('spreadsheet'),
  odp: () => openDocumentParts('presentation')
}

/**
 * An empty document, for a file of 0 bytes. Formats without a template give 0 bytes, which is valid for text formats.
 */
export function emptyTemplate (fileType: string): Uint8Array {
  const parts = Object.hasOwn(TEMPLATES, fileType) ? TEMPLATES[fileType]?.() : undefined
  if (parts === undefined) return new Uint8Array()
  // OpenDocument requires an uncompressed media type.
  return zipOf(parts, 'mimetype')
}
