import { separatedDocument } from './csv/document.js'
import { openDocumentText } from './open-document/document.js'
import { openDocumentSheets } from './open-sheet/document.js'
import { pdfForm } from './pdf-form/form.js'
import { presentationDocument } from './presentation/document.js'
import { isTextFormat, textDocument } from './text-file.js'
import { type Editable, refuseText } from './types.js'
import { wordDocument } from './word/document.js'
import { workbookDocument } from './workbook/workbook.js'

const FORMATS = new Map<string, (bytes: Uint8Array) => Editable | null>([
  ['csv', sheetOrText],
  ['docx', wordDocument], ['odt', openDocumentText],
  ['pptx', presentationDocument], ['odp', openDocumentText],
  ['xlsx', workbookDocument], ['ods', openDocumentSheets],
  ['pdf', pdfForm]
])

/** Opens a document for editing: texts and slides as texts, sheets by cells, PDF forms by fields, others read-only. */
export function openEditable (fileType: string, bytes: Uint8Array): Editable {
  const open = FORMATS.get(fileType) ?? (isTextFormat(fileType) ? textDocument : undefined)
  try {
    return open?.(bytes) ?? readOnly(bytes, `The emulated document server cannot show ${fileType || 'this format'} files.`)
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

function readOnly (bytes: Uint8Array, note: string): Editable {
  return {
    view: () => ({ kind: 'readonly', note }),
    apply: () => null,
    replaceText: refuseText,
    bytes: () => bytes
  }
}
