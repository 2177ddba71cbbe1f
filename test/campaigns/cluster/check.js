import { buffer } from 'node:stream/consumers'
import { editsIn, note } from './document.js'
import { identityOf } from '../kills/documents.js'

/** @typedef {import('./document.js').EditedDocument} EditedDocument */
/** @typedef {import('../../../lib/store/contract.js').DocumentStore} DocumentStore */
/** @typedef {{ readonly revision: string, readonly edits: readonly string[], readonly savedIn: string | undefined }} Stored */

/**
 * What the application was told about saves.
 * @param {import('./counts.js').Counts} counts
 */
export function createTold (counts) {
  const ids = new Set()
  const revisions = new Set()

  return {
    revisions,
    /** @param {{ id?: string, stored?: { readonly revision: string } }} event */
    hear ({ id, stored }) {
      if (id === undefined) return
      if (ids.has(id)) counts.toldTwice++
      ids.add(id)
      revisions.add(stored?.revision)
    }
  }
}

/**
 * In the end: nothing that was acknowledged is missing, every content that was ever stored continues the one before it,
 * and the application was told of each, or of a later one: a force save whose instance was killed before the hook is
 * not repeated.
 * @param {object} around
 * @param {DocumentStore} around.storage
 * @param {ReadonlySet<unknown>} around.told revisions
 * @param {import('./counts.js').Counts} around.counts
 * @param {(document: EditedDocument, message: string) => void} around.violated
 */
export function createCheck ({ storage, told, counts, violated }) {
  /** @type {Map<string, string[]>} Edits in conflict copies, by fileId of the document. */
  const inCopies = new Map()

  return {
    /** @param {EditedDocument} document */
    async document (document) {
      const stored = await allStored(document, document.fileId)
      for (const [index, { edits, savedIn }] of stored.entries()) {
        const { edits: before = [], savedIn: savedBefore } = stored[index - 1] ?? {}
        if (index === 0 || continues(edits, before)) continue
        if (isSame(edits, before)) {
          counts.storedTwice++
          note(document, `${edits.at(-1)} was stored twice`)
        } else if (continues(before, edits) && savedIn !== undefined && savedIn === savedBefore) {
          counts.sameSecond++
        } else if (continues(before, edits)) {
          counts.outOfOrder++
          violated(document, `${edits.at(-1)} has replaced the newer ${before.at(-1)}`)
        } else {
          counts.forks++
          violated(document, `${edits.at(-1)} has replaced ${before.at(-1)}, on which it is not based`)
        }
      }
      counts.stored += stored.length - 1
      checkNothingIsLost(document, stored)
      const lastTold = stored.findLastIndex(({ revision }) => told.has(revision))
      for (const [index, { revision, edits }] of stored.entries()) {
        if (index === 0 || told.has(revision)) continue
        if (index < lastTold) {
          counts.toldLater++
        } else {
          counts.untold++
          violated(document, `the application was never told that ${edits.at(-1)} is stored`)
        }
      }
    },

    /**
     * Nobody but the editors changes these documents, so the only reason for a second one is a save that an instance
     * held up, while the session it is of went on: what is in it must be in the document, too. To be checked first.
     * @param {string} fileId of something that is not one of the documents
     * @param {ReadonlyMap<string, EditedDocument>} documents
     */
    async copy (fileId, documents) {
      const read = await storage.read(fileId)
      const content = read && await buffer(read.body)
      const document = documents.get(content && identityOf(content)?.fileId)
      if (document === undefined) throw new Error(`${fileId} is a document that nobody made`)
      const edits = await allEdits(document, fileId)
      const present = await storage.read(document.fileId)
      const inDocument = present && editsIn(await buffer(present.body), document.fileId)
      if (edits.every(edit => inDocument?.includes(edit))) {
        counts.lateCopies++
        return
      }
      counts.forks++
      inCopies.set(document.fileId, [...inCopies.get(document.fileId) ?? [], ...edits])
      violated(document, `${edits.at(-1)} is in the conflict copy ${fileId}`)
    }
  }

  /**
   * @param {EditedDocument} document
   * @param {readonly Stored[]} stored
   */
  function checkNothingIsLost (document, stored) {
    const kept = new Set([...stored.flatMap(({ edits }) => edits), ...inCopies.get(document.fileId) ?? []])
    const present = new Set(stored.at(-1)?.edits)
    const lost = document.acknowledged.filter(({ edits }) => !edits.every(edit => kept.has(edit)))
    if (lost.length > 0) {
      counts.lost += lost.length
      violated(document, `lost, although acknowledged: ${lost.map(({ what, edits }) => `${what} with ${edits.filter(edit => !kept.has(edit))}`).join('; ')}`)
    }
    const missing = document.edits.filter(edit => !present.has(edit))
    if (missing.length > 0) {
      counts.missing += missing.length
      violated(document, `these edits are not in the document in the end: ${missing}`)
    }
  }

  /**
   * @param {EditedDocument} document
   * @param {string} copy
   */
  async function allEdits (document, copy) {
    const stored = await allStored(document, copy)
    return stored.flatMap(({ edits }) => edits)
  }

  /**
   * Every content that the document or a conflict copy of it ever had, oldest first.
   * @param {EditedDocument} document
   * @param {string} fileId
   * @returns {Promise<Stored[]>}
   */
  async function allStored (document, fileId) {
    /** @type {Stored[]} */
    const stored = []
    for (const { version, revision, details } of await storage.versions.list(fileId)) {
      const read = await storage.versions.read(fileId, version, 'content')
      stored.push({ ...whole(document, revision, read && await buffer(read.body)), savedIn: secondOf(details) })
    }
    const present = await storage.read(fileId)
    stored.push(whole(document, present?.info.revision ?? '', present && await buffer(present.body)))
    // The newest version may be the present content, if a save was cut off.
    return stored.filter(({ revision }, index) => revision !== stored[index + 1]?.revision)
  }

  /**
   * @param {EditedDocument} document
   * @param {string} revision
   * @param {Buffer | null} content
   * @returns {Stored}
   */
  function whole (document, revision, content) {
    const edits = content === null ? undefined : editsIn(content, document.fileId)
    if (edits === undefined) {
      counts.torn++
      violated(document, `a content of it is ${content === null ? 'gone' : 'torn'}`)
    }
    return { revision, edits: edits ?? [], savedIn: undefined }
  }
}

/**
 * Session and second of a save: that is all the document server tells about the order of two saves.
 * @param {unknown} details of the version
 */
function secondOf (details) {
  const { made } = Object(details)
  return made && `${made.key} ${made.savedAt}`
}

/**
 * @param {readonly string[]} edits
 * @param {readonly string[]} before
 */
function continues (edits, before) {
  return edits.length > before.length && before.every((edit, index) => edit === edits[index])
}

/**
 * @param {readonly string[]} a
 * @param {readonly string[]} b
 */
function isSame (a, b) {
  return a.length === b.length && a.every((edit, index) => edit === b[index])
}
