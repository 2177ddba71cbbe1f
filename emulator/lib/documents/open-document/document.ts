import { openPackage } from '../office/package.js'
import { proseDocument } from '../prose/prose.js'
import type { Editable } from '../types.js'
import { CONTENT_PART, readOpenDocument } from './read.js'
import { writtenOpenDocument } from './write.js'

/** An .odt or .odp whose text is edited in place. Every other part, and what is not edited, stays unchanged. */
export function openDocumentText (original: Uint8Array): Editable {
  const office = openPackage(original)
  const { doc, styles } = readOpenDocument(office)
  return proseDocument(original, {
    doc,
    levels: styles.headings,
    write: (doc, changes) => office.withPart(CONTENT_PART, writtenOpenDocument(office, doc, changes))
  })
}
