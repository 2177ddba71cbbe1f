import { openDocument, type OpenDocument } from './open-document.js'

/** The documents that are open, or were and still have something to save, by key. */
export interface Documents {
  /** Not one that was removed. */
  get (key: string): OpenDocument | undefined
  getOrCreate (key: string, fileType: string): OpenDocument
  /** Removes a document: the next opening of its key starts anew. Viewers keep theirs. */
  remove (document: OpenDocument): void
  all (): OpenDocument[]
}

export function documents (): Documents {
  const byKey = new Map<string, OpenDocument>()

  return {
    get (key) {
      const known = byKey.get(key)
      return known?.isRemoved === true ? undefined : known
    },
    getOrCreate (key, fileType) {
      const document = byKey.get(key) ?? openDocument(key, fileType)
      document.reuse()
      byKey.set(key, document)
      return document
    },
    remove (document) {
      document.remove()
      if (document.participants.size === 0) byKey.delete(document.key)
    },
    all: () => [...byKey.values()]
  }
}
