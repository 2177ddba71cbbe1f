import type { OpenDocument } from '../sessions/documents.js'

/** What is known of an editor page beyond its participation. It outlives a cut connection. */
interface Page {
  /** Number of the last batch of edits that was dealt with. */
  batch: number
  /** Paragraph, or line of a text, where its user is. */
  place: string | null
  /** Sends who is here, and where. */
  sendUsers: () => void
}

/** The editor pages of all documents, by connection. */
export function editorPages () {
  const documents = new WeakMap<OpenDocument, Map<string, Page>>()

  function of (document: OpenDocument, connectionId: string): Page {
    const pages = documents.get(document) ?? new Map<string, Page>()
    const page = pages.get(connectionId) ?? { batch: 0, place: null, sendUsers () {} }
    documents.set(document, pages.set(connectionId, page))
    return page
  }

  return { of }
}

export type EditorPages = ReturnType<typeof editorPages>
