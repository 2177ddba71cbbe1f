import { separatedDocument } from './csv/document.js'
import { OPEN_DOCUMENT, textBlocks } from './extract/extract.js'
import { docOf } from './extract/readable.js'
import { pdfForm } from './pdf-form/form.js'
import { presentationDocument } from './presentation/document.js'
import { isTextFormat, textDocument } from './text-file.js'
import { type Editable, refuseText } from './types.js'
import { wordDocument } from './word/document.js'
import { workbookDocument } from './workbook/workbook.js'

const FORMATS = new Map<string, (bytes: Uint8Array) => Editable | null>([
  ['csv', sheetOrText],
  ['docx', wordDocument],
  ['pptx', presentationDocument],
  ['xlsx', workbookDocument],
  ['pdf', pdfForm]
])

/**
 * Opens a document for editing: texts and slides as texts, sheets by cells, PDF forms by fields. Others are read-only:
 * OpenDocument shows its text.
 */
export function openEditable (fileType: string, bytes: Uint8Array): Editable {
  const open = FORMATS.get(fileType) ?? (isTextFormat(fileType) ? textDocument : undefined)
  try {
    if (OPEN_DOCUMENT.has(fileType)) return readOnlyText(fileType, bytes)
    return open?.(bytes) ??
      readOnly(bytes, `The emulated document server cannot show ${fileType || 'this format'} files.`)
  } catch (error) {
    return readOnly(bytes, `This ${fileType} file cannot be read: ${(error as Error).message}`)
  }
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

function readOnlyText (fileType: string, bytes: Uint8Array): Editable {
  const doc = docOf(fileType, textBlocks(fileType, bytes) ?? []).toJSON() as object
  return readOnly(bytes, `The emulated document server shows the text of ${fileType} files, and cannot edit them.`, doc)
}

function readOnly (bytes: Uint8Array, note: string, doc?: object): Editable {
  return {
    view: () => ({ kind: 'readonly', note, ...(doc !== undefined && { doc }) }),
    apply: () => null,
    replaceText: refuseText,
    bytes: () => bytes
  }
}
