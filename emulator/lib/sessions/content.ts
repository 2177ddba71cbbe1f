import { openEditable } from '../documents/open.js'
import type { Editable } from '../documents/types.js'
import type { OpenDocument } from './documents.js'
import type { SessionParts } from './parts.js'

/** The document as it is now. */
export function currentBytes (document: OpenDocument): Uint8Array {
  return document.editable === null ? document.source! : document.editable.bytes()
}

/** The document's editor, opened when it is first needed. */
export function editableOf (document: OpenDocument): Editable {
  document.editable ??= openEditable(document.fileType, document.source!)
  return document.editable
}

/** It was opened from a forgotten file that is still there. */
export function isForgotten ({ forgotten }: SessionParts, { fromForgotten, key }: OpenDocument): boolean {
  return fromForgotten && forgotten.has(key)
}
