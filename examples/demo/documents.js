import { extname } from 'node:path'
import { NoSuchDocument } from './errors.js'
import { baseOf, kindOf, nameWith } from './formats.js'

/** @import { FastifyInstance } from 'fastify' */
/** @import { Catalogue, Entry } from './catalogue.js' */
/** @typedef {{ id: string, name: string, fileType: string, kind: string, size: number, modifiedAt: Date, revision: string, isFavorite: boolean }} Document */
/** @typedef {ReturnType<typeof createDocuments>} Documents */

const DAY = 24 * 60 * 60 * 1000
/** How long a deleted document can be restored. */
export const KEPT_DAYS = 7
/** How long a copy or conversion waits for what is only in the editors. */
const LATEST_WITHIN_MS = 15_000

/**
 * What users do with documents: names are in the catalogue, contents in the plugin's storage.
 * @param {FastifyInstance} app
 * @param {Catalogue} catalogue
 */
export function createDocuments (app, catalogue) {
  return {
    list,

    /**
     * The wanted document, or else one that can be tried out; `null` if there is none.
     * @param {unknown} wanted
     */
    async toTry (wanted) {
      const all = await list()
      return all.find(({ id }) => id === wanted) ?? all.find(({ kind }) => kind === 'word') ?? all[0] ?? null
    },

    /** Deleted documents that can be restored, the last one first. */
    deleted: () => catalogue.deleted().sort((a, b) => (b.deletedAt ?? '').localeCompare(a.deletedAt ?? '')),

    existing,

    /**
     * Gives a stored file a name that no other document has.
     * @param {string} id
     * @param {string} name
     */
    async add (id, name) {
      const entry = { id, name: catalogue.freeName(name) }
      await catalogue.put(entry)
      return entry
    },

    /**
     * @param {string} id of the copy
     * @param {string} original
     */
    async addConflictCopy (id, original) {
      if (catalogue.find(id)) return // the hook is called again if the application ended meanwhile
      const { name } = entryOf(original)
      await this.add(id, `${baseOf(name)} (conflict copy)${extname(name)}`)
    },

    /**
     * @param {string} id
     * @param {string} title With the document's extension.
     */
    async rename (id, title) {
      const { name } = await existing(id)
      if (title !== name) await catalogue.put({ ...entryOf(id), name: catalogue.freeName(title) })
      return entryOf(id)
    },

    /** @param {string} id */
    async copy (id) {
      const { name } = await existing(id)
      await storeLatest(id)
      const file = await app.editorStorage.read(id)
      if (!file) throw new NoSuchDocument()
      const copy = await app.editorStorage.create(file.info.fileType, file.body)
      return await this.add(copy.fileId, `${baseOf(name)} – copy${extname(name)}`)
    },

    /**
     * @param {string} id
     * @param {boolean} isFavorite
     */
    async favor (id, isFavorite) {
      await existing(id)
      const { favorite, ...entry } = entryOf(id)
      await catalogue.put(isFavorite ? { ...entry, favorite: true } : entry)
    },

    /**
     * The document can still be restored, and what its editors send is still stored.
     * @param {string} id
     */
    async remove (id) {
      await existing(id)
      await catalogue.put({ ...entryOf(id), deletedAt: new Date().toISOString() })
      // They close; whoever can't be told keeps editing a document that is no longer listed.
      await app.editorSessions.drop(id).catch(error =>
        app.log.warn({ err: error }, 'the editors of a deleted document were not closed')
      )
    },

    /** @param {string} id */
    async restore (id) {
      const { deletedAt, ...entry } = entryOf(id)
      if (deletedAt !== undefined) await catalogue.put({ ...entry, name: catalogue.freeName(entry.name) })
      return entryOf(id)
    },

    /**
     * Deletes content and name for good.
     * @param {string} id
     */
    async purge (id) {
      if (entryOf(id).deletedAt === undefined) throw new NoSuchDocument() // among the deleted ones
      await app.editorStorage.remove?.(id)
      await catalogue.remove(id)
    },

    /** Deletes for good what was deleted long ago. */
    async purgeOld () {
      const since = new Date(Date.now() - KEPT_DAYS * DAY).toISOString()
      for (const { id, deletedAt = since } of catalogue.deleted()) if (deletedAt < since) await this.purge(id)
    },

    storeLatest
  }

  /** All documents that are not deleted. */
  async function list () {
    const documents = await Promise.all(catalogue.entries().map(describe))
    return documents.filter(document => document !== null)
  }

  /**
   * @param {Entry} entry
   * @returns {Promise<Document | null>}
   */
  async function describe ({ id, name, favorite }) {
    const info = await app.editorStorage.stat(id)
    if (!info) return null
    const { fileType, size, modifiedAt, revision } = info
    return {
      id,
      name: nameWith(name, fileType),
      fileType,
      kind: kindOf(fileType),
      size,
      modifiedAt,
      revision,
      isFavorite: favorite === true
    }
  }

  /** @param {string} id */
  async function existing (id) {
    const entry = entryOf(id)
    const document = entry.deletedAt === undefined ? await describe(entry) : null
    if (!document) throw new NoSuchDocument()
    return document
  }

  /** @param {string} id */
  function entryOf (id) {
    const entry = catalogue.find(id)
    if (!entry) throw new NoSuchDocument()
    return entry
  }

  /**
   * Has what is only in the editors stored. If that fails, the last save has to do.
   * @param {string} id
   * @param {AbortSignal} [signal]
   */
  async function storeLatest (id, signal) {
    const sessions = await app.editorSessions.list()
    if (!sessions.some(({ fileId }) => fileId === id)) return
    try {
      const control = await app.editorControl().openDocument(id)
      await control.forceSave({ timeout: LATEST_WITHIN_MS, ...(signal && { signal }) })
    } catch (error) {
      signal?.throwIfAborted()
      app.log.warn({ err: error }, 'the latest changes of an open document could not be stored')
    }
  }
}
