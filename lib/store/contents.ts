import { performance } from 'node:perf_hooks'
import type { StorageContent } from '../../types/storage.js'
import type { StoredBlob } from '../../types/storage-driver.js'
import { StorageError } from '../errors.js'
import { isSafeFileId } from '../security/names.js'
import { type Driver, NOWHERE, type StagedContent } from './contract.js'
import type { DocumentRecord } from './record.js'
import type { Records } from './records.js'

export type Contents = ReturnType<typeof createContents>

/** A blob that a record of its document can name. */
export interface Placed extends StoredBlob {
  readonly fileId: string
  /** Throws if the content is so old that a sweep may delete it. */
  readonly assertFresh: () => void
  /** Whether its owner has discarded it. */
  readonly isStaged: boolean
  /** Whether a record may already name it, or it is gone: then nobody may name or drop it again. */
  isTaken: boolean
}

/** Writes content or a text for a change. Each is written only once, because a stream can be read only once. */
export type PlaceOnce = (content: StorageContent | string) => Promise<StoredBlob>

interface NamingOptions {
  /** Expects the document to have no record. */
  readonly isNew?: boolean
}

/** Half the age at which a sweep deletes what no record names. */
const MAX_AGE_MS = 12 * 60 * 60_000

/** Contents that are written before a record names them. */
export function createContents (driver: Driver, records: Records) {
  const staged = new WeakMap<StorageContent, Placed>()

  async function write (fileId: string, content: StorageContent, isStaged: boolean, like?: string): Promise<Placed> {
    await driver.ready()
    const assertFresh = freshness()
    return { ...await driver.write(fileId, content, like), fileId, assertFresh, isStaged, isTaken: !isStaged }
  }

  async function * bytesOf (placed: Placed): AsyncGenerator<Uint8Array> {
    const body = await driver.read(placed.fileId, placed)
    if (!body) throw new StorageError('the staged content is no longer there', { retryable: false })
    yield * body as AsyncIterable<Uint8Array>
  }

  /**
   * Writes content, unless it was staged for the same document and is already in place. Afterwards, call `name` with
   * it.
   */
  async function place (fileId: string, content: StorageContent): Promise<Placed> {
    const placed = staged.get(content)
    if (placed?.fileId !== fileId || placed.isTaken) return await write(fileId, content, false, placed?.fileId)
    placed.isTaken = true
    return placed
  }

  function giveBack (contents: readonly Placed[]): void {
    for (const placed of contents) {
      if (placed.isStaged) placed.isTaken = false
      else records.dropLater(placed.fileId, [placed.name])
    }
  }

  return {
    place,

    isStaged: (content: StorageContent) => staged.has(content),

    async stage (fileId: string, content: StorageContent): Promise<StagedContent> {
      const placed = await write(isSafeFileId(fileId) ? fileId : NOWHERE, content, true)
      const result: StagedContent = {
        name: placed.name,
        size: placed.size,
        async discard () {
          if (placed.isTaken) return
          placed.isTaken = true
          await driver.drop(placed.fileId, placed.name).catch(() => {}) // a sweep deletes it
        },
        [Symbol.asyncIterator]: () => bytesOf(placed)
      }
      staged.set(result, placed)
      return result
    },

    /**
     * Changes a record, which then names placed contents. Drops contents that no record names. Contents that a record
     * may name are left for a sweep, which deletes them if no record does. `changer`: as for `Records.change`.
     */
    async name (
      fileId: string,
      placed: readonly Placed[],
      changer: (
        record: DocumentRecord | null, placeOnce: PlaceOnce
      ) => DocumentRecord | null | Promise<DocumentRecord | null>,
      { isNew = false }: NamingOptions = {}
    ): Promise<boolean> {
      const contents = [...placed]
      const blobs = new Map<StorageContent | string, StoredBlob>()
      let isSent = false
      async function placeOnce (content: StorageContent | string): Promise<StoredBlob> {
        const known = blobs.get(content)
        if (known) return known
        const one = await place(fileId, typeof content === 'string' ? Buffer.from(content) : content)
        contents.push(one)
        const blob = { name: one.name, size: one.size }
        blobs.set(content, blob)
        return blob
      }
      const assertFresh = () => contents.forEach(content => content.assertFresh())

      try {
        const isChanged = await records.change(fileId, async record => {
          const changed = await changer(record, placeOnce)
          if (changed) assertFresh()
          return changed
        }, { isNew, onSent: () => { isSent = true } })
        if (isChanged) assertFresh()
        else giveBack(contents)
        return isChanged
      } catch (error) {
        if (!isSent) giveBack(contents)
        throw error
      }
    }
  }
}

/** Uses two clocks, because one stands still while the machine is suspended, and the other may be set. */
function freshness (): () => void {
  const [monotonic, wall] = [performance.now(), Date.now()]
  return () => {
    if (Math.max(performance.now() - monotonic, Date.now() - wall) > MAX_AGE_MS) {
      throw new StorageError('the content was staged too long ago to be published')
    }
  }
}
