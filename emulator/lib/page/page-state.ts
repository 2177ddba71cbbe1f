import type { PageEditor } from '../editing.js'

type OpenDocument = PageEditor['document']

/** The state of an editor page besides its participant. It survives a cut connection. */
interface PageState {
  /** The number of the last batch of edits that was processed. */
  batch: number
  /** The cell or the position in the text where the user is. */
  place: string | null
  /** Sends the users and their places to the page. */
  sendUsers: () => void
}

/** The state of all editor pages, by document and connection id. */
export function pageStates () {
  const documents = new WeakMap<OpenDocument, Map<string, PageState>>()

  function of (document: OpenDocument, connectionId: string): PageState {
    const pages = documents.get(document) ?? new Map<string, PageState>()
    const page = pages.get(connectionId) ?? { batch: 0, place: null, sendUsers () {} }
    documents.set(document, pages.set(connectionId, page))
    return page
  }

  return { of }
}

export type PageStates = ReturnType<typeof pageStates>
