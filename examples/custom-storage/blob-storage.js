import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { InvalidNameError } from 'fastify-onlyoffice'

/** @import { ByteRange, Content, FileInfo, Storage, StateStore } from 'fastify-onlyoffice' */
/** @import { Blobs } from './blobs.js' */

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const EXTENSION = /^[a-z0-9]{1,16}$/i
const MAX_ATTEMPTS = 4
const FIRST_DELAY_MS = 200

/**
 * What there is of a document, in one blob: which content it has, and the record of its sessions. One conditional PUT
 * changes it, so that every change is there completely or not at all.
 * @typedef {object} Entry
 * @property {{ extension: string, size: number, modifiedAt: string, revision: string }} file The content is the blob
 *   `contents/<revision>`.
 * @property {{ value: unknown, version: string } | null} state
 */

/**
 * Stores documents as blobs of another service. A content is a blob that is never written again: each save writes a new
 * one, and then makes the document's entry refer to it.
 * @param {Blobs} blobs
 * @returns {Storage & { state: StateStore }}
 */
export function blobStorage (blobs) {
  return {
    async stat (fileId) {
      const found = await entryOf(fileId)
      return found && infoOf(fileId, found.entry)
    },

    async read (fileId, range) {
      // Again if the document is replaced between the two requests, which deletes the content that the first one has
      // named.
      for (let found = await entryOf(fileId); found; found = await entryOf(fileId)) {
        const { file } = found.entry
        if (range) assertWithin(range, file.size)
        const body = await blobs.get(contentName(file.revision), range)
        if (body) return { info: infoOf(fileId, found.entry), body }
        if ((await entryOf(fileId))?.entry.file.revision === file.revision) {
          throw new Error(`The content of document ${fileId} is missing`)
        }
      }
      return null
    },

    async create (extension, content) {
      keepError(content)
      assertExtension(extension)
      const fileId = randomUUID()
      const file = await store(extension, content)
      const entry = { file, state: null }
      await publish(fileId, entry, { ifNoneMatch: '*' })
      return infoOf(fileId, entry)
    },

    async replace (fileId, content, { extension, ifRevision, beforePublish } = {}) {
      keepError(content)
      if (extension !== undefined) assertExtension(extension)
      const old = await entryOf(fileId)
      if (!old || !isExpected(old.entry, ifRevision)) return null
      const file = await store(extension ?? old.entry.file.extension, content)
      try {
        await beforePublish?.(infoOf(fileId, { file, state: null }))
      } catch (error) {
        await discard(file.revision)
        throw error
      }
      // Again if only the record has changed meanwhile, or if any revision may be replaced.
      for (
        let found = await entryOf(fileId); found && isExpected(found.entry, ifRevision); found = await entryOf(fileId)
      ) {
        const entry = { ...found.entry, file }
        if (!await publish(fileId, entry, { ifMatch: found.etag })) continue
        await discard(found.entry.file.revision)
        return infoOf(fileId, entry)
      }
      await discard(file.revision)
      return null
    },

    async remove (fileId) {
      for (let found = await entryOf(fileId); found; found = await entryOf(fileId)) {
        if (!await blobs.delete(entryName(fileId), { ifMatch: found.etag })) continue
        await discard(found.entry.file.revision)
        return true
      }
      return false
    },

    state: {
      async get (fileId) {
        return (await entryOf(fileId))?.entry.state ?? null
      },

      async set (fileId, value, version) {
        // Again if only the content has changed meanwhile.
        for (
          let found = await entryOf(fileId);
          found && (found.entry.state?.version ?? null) === version;
          found = await entryOf(fileId)
        ) {
          const state = { value, version: randomUUID() }
          if (await blobs.putJson(entryName(fileId), { ...found.entry, state }, { ifMatch: found.etag })) {
            return state.version
          }
        }
        return null
      },

      async * list () {
        for (const fileId of await blobs.documentIds()) {
          const state = (await entryOf(fileId))?.entry.state
          if (state) yield { fileId, ...state }
        }
      }
    }
  }

  /**
   * @param {string} fileId
   * @returns {Promise<{ etag: string, entry: Entry } | null>}
   */
  async function entryOf (fileId) {
    if (!ID.test(fileId)) return null
    const found = await blobs.getJson(entryName(fileId))
    return found && { etag: found.etag, entry: /** @type {Entry} */ (found.value) }
  }

  /**
   * Stores content in a blob of its own, which nobody sees yet.
   * @param {string} extension
   * @param {Content} content
   * @returns {Promise<Entry['file']>}
   */
  async function store (extension, content) {
    const revision = randomUUID()
    let size = 0
    /** @type {{ error: unknown } | undefined} */
    let failed
    async function * counted () {
      try {
        for await (const chunk of content instanceof Uint8Array ? [content] : content) {
          size += chunk.byteLength
          if (chunk.byteLength > 0) yield chunk // fetch() waits forever after an empty one
        }
      } catch (error) {
        failed = { error }
        throw error
      }
    }
    try {
      await blobs.put(contentName(revision), counted())
    } catch (error) {
      await discard(revision) // the service may have stored it, and only its answer is lost
      throw failed ? failed.error : error // not that of the request, which failed because of it
    }
    return { extension: extension.toLowerCase(), size, modifiedAt: new Date().toISOString(), revision }
  }

  /**
   * Writes the entry of a document: from now on readers see what it says. Resolves to `false` if the condition does not
   * hold. If it rejects, the entry may have been written, so the content that it names must stay.
   * @param {string} fileId
   * @param {Entry} entry
   * @param {import('./blobs.js').Condition} condition
   */
  async function publish (fileId, entry, condition) {
    for (let attempt = 1; ; attempt++) {
      try {
        if (await blobs.putJson(entryName(fileId), entry, condition)) return true
      } catch (error) {
        // Perhaps only the answer is lost. The same request once more tells: under the same condition, it cannot
        // succeed twice.
        if (attempt === MAX_ATTEMPTS) throw error
        await setTimeout(FIRST_DELAY_MS * 2 ** (attempt - 1))
        continue
      }
      if (attempt === 1) return false
      const now = await entryOf(fileId)
      if (now?.entry.file.revision === entry.file.revision) return true
      throw new Error(`Document ${fileId} has changed while the blob service did not answer`)
    }
  }

  /**
   * Deletes a content that no entry refers to. If it fails, some space is lost and nothing else.
   * @param {string} revision
   */
  async function discard (revision) {
    await blobs.delete(contentName(revision)).catch(() => {})
  }
}

/** @param {string} fileId */
const entryName = fileId => `documents/${fileId}`
/** @param {string} revision */
const contentName = revision => `contents/${revision}`

/**
 * @param {string} fileId
 * @param {Entry} entry
 * @returns {FileInfo}
 */
function infoOf (fileId, { file: { extension, size, modifiedAt, revision } }) {
  return { fileId, extension, size, modifiedAt: new Date(modifiedAt), revision }
}

/**
 * @param {Entry} entry
 * @param {string | undefined} ifRevision
 */
function isExpected ({ file }, ifRevision) {
  return ifRevision === undefined || file.revision === ifRevision
}

/** @param {string} extension */
function assertExtension (extension) {
  if (!EXTENSION.test(extension)) throw new InvalidNameError()
}

/**
 * @param {ByteRange} range
 * @param {number} size
 */
function assertWithin ({ start, end }, size) {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end >= size) {
    throw new RangeError(`The range ${start}-${end} is not within the ${size} bytes of the file`)
  }
}

/**
 * A stream that fails before anybody reads it would end the process. Who reads it later gets the error all the same.
 * @param {Content} content
 */
function keepError (content) {
  if (content instanceof Readable) content.on('error', () => {})
}
