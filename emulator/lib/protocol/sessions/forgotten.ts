import type { Parts } from '../parts.js'
import type { OpenDocument } from './open-document.js'

/** Whether the document was opened from a forgotten file that still exists. */
export function isFromForgottenFile ({ forgotten }: Parts, { fromForgottenFile, key }: OpenDocument): boolean {
  return fromForgottenFile && forgotten.has(key)
}

export function keepForgottenFile (
  { forgotten, time }: Parts,
  { key, fileType }: OpenDocument,
  bytes: Uint8Array
): void {
  forgotten.set(key, { fileType, bytes, storedAt: time.now() })
}
