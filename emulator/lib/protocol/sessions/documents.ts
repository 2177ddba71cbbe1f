import { openDocument, type OpenDocument } from './open-document.js'

export type Documents = ReturnType<typeof documents>

/** The documents that are open, or were and still have something to save, by key. */
export function documents () {
  const byKey = new Map<string, OpenDocument>()

  return {
    /** Not one that was removed. */
    get (key: string): OpenDocument | undefined {
      const known = byKey.get(key)
      return known?.isRemoved === true ? undefined : known
    },
    getOrCreate (key: string, fileType: string): OpenDocument {
      const document = byKey.get(key) ?? openDocument(key, fileType)
      document.reuse()
      byKey.set(key, document)
      return document
    },
    /** Removes a document: the next opening of its key starts anew. Viewers keep theirs. */
    remove (document: OpenDocument): void {
      document.remove()
      if (document.participants.size === 0) byKey.delete(document.key)
    },
    all: () => [...byKey.values()]
  }
}
