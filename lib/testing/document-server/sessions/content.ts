import { openEditable } from '../editing/open.js'
import type { Editable } from '../editing/types.js'
import type { OpenDocument } from './documents.js'

/** The document as it is now. */
export async function currentBytes (document: OpenDocument): Promise<Uint8Array> {
  return document.editable === null ? document.source! : (await document.editable).bytes()
}

/** The document's editor, opened when it is first needed. */
export async function editableOf (document: OpenDocument): Promise<Editable> {
  const editable = document.editable ??= openEditable(document.fileType, document.source!)
  try {
    return await editable
  } catch (error) {
    if (document.editable === editable) document.editable = null
    throw error
  }
}
