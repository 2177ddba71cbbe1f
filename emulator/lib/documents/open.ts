import type { Node } from 'prosemirror-model'
import { separatedDocument } from './csv/document.js'
import { openDocumentText } from './open-document/document.js'
import { openDocumentSheets } from './open-sheet/document.js'
import { presentationDocument } from './presentation/document.js'
import { isTextFormat, textDocument } from './text-file.js'
import { docOf, readableDoc } from './extract/readable.js'
import type { Editable } from './types.js'
import { wordDocument } from './word/document.js'
import { workbookDocument } from './workbook/workbook.js'

/**
 * Opens a document for editing: text formats as text, docx by paragraphs, xlsx, ods and csv by cells. Everything
 * else is read-only.
 */
export function openEditable (fileType: string, bytes: Uint8Array): Editable {
  try {
    if (fileType === 'csv') return sheetOrText(bytes)
    if (isTextFormat(fileType)) return textDocument(bytes)
    if (fileType === 'docx' && bytes.length > 0) return wordDocument(bytes)
    if (fileType === 'pptx' && bytes.length > 0) return presentationDocument(bytes)
    if (['odt', 'odp'].includes(fileType) && bytes.length > 0) return openDocumentText(bytes)
    if (fileType === 'xlsx' && bytes.length > 0) return workbookDocument(bytes)
    if (fileType === 'ods' && bytes.length > 0) return openDocumentSheets(bytes)
  } catch (error) {
    return readOnly(bytes, `This ${fileType} file cannot be read: ${(error as Error).message}`, docOf('', []))
  }
  const note = `The emulated document server can only show ${fileType || 'this format'} files. It edits docx, xlsx and text files.`
  return readOnly(bytes, note, readableDoc(fileType, bytes))
}

/** A .csv file that is too large for a sheet is edited as text. */
function sheetOrText (bytes: Uint8Array): Editable {
  try {
    return separatedDocument(bytes)
  } catch (error) {
    if (error instanceof RangeError) return textDocument(bytes)
    throw error
  }
}

function readOnly (bytes: Uint8Array, note: string, doc: Node): Editable {
  const view = { kind: 'readonly' as const, note, doc: doc.toJSON() as object }
  return {
    view: () => view,
    apply: () => null,
    replaceText () {
      throw new TypeError('Only docx and text files can be edited with a string: use the bytes of a file instead')
    },
    bytes: () => bytes
  }
}
