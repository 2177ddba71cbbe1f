import createError from '@fastify/error'

/** @typedef {{ name: string, owner: string, isShared: boolean }} Document */

const NotAllowed = createError('APP_NOT_ALLOWED', 'Only its owner may rename a document', 403)

/** In your application: a table. */
export function createDocuments () {
  /** @type {Map<string, Document>} */
  const documents = new Map()

  return {
    /** @param {string} fileId */
    get: fileId => documents.get(fileId),
    /**
     * @param {string} fileId
     * @param {Document} document
     */
    add: (fileId, document) => documents.set(fileId, document),
    /**
     * What a user may do with a document: its owner edits it, others read it if it is shared.
     * @param {string} fileId
     * @param {string} userId
     * @returns {'edit' | 'view' | null}
     */
    modeFor (fileId, userId) {
      const document = documents.get(fileId)
      if (document?.owner === userId) return 'edit'
      return document?.isShared ? 'view' : null
    },
    /** @param {string} userId */
    of (userId) {
      return Array.from(documents, ([fileId, document]) => ({ fileId, name: document.name })).filter(({ fileId }) =>
        this.modeFor(fileId, userId)
      )
    },
    /**
     * @param {string} fileId
     * @param {string} name
     * @param {string | undefined} userId
     */
    rename (fileId, name, userId) {
      const document = documents.get(fileId)
      if (document?.owner !== userId || document === undefined) throw new NotAllowed()
      document.name = name
    }
  }
}
