import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { Content, StagedContent } from '../../../types/storage.js'
import { StorageError } from '../../errors.js'
import { isSafeFileId } from '../../security/names.js'
import type { Blob } from '../version-log.js'
import type { S3Services } from './services.js'

export type Staging = ReturnType<typeof createStaging>

/** An object with content, where a record of its document can name it. */
export interface StoredObject {
  readonly fileId: string | undefined
  readonly name: string
  readonly size: number
  /** Throws if the content is so old that the sweep may delete it. */
  readonly assertFresh: () => void
  /** Whether its owner will discard it. */
  readonly isStaged: boolean
  /** The staged object that this is a copy of. */
  readonly source?: StoredObject | undefined
  /**
   * `free`: certainly no record names the object. `used`: somebody is about to name it or has named it. `unknown`: a
   * record may name it.
   */
  status: 'free' | 'used' | 'unknown' | 'gone'
}

/** Places content or a text for the write, each only once, because a stream can be read only once. */
export type PlaceOnce = (content: Content | string) => Promise<Blob>

interface Naming {
  readonly placeOnce: PlaceOnce
  /** Throws if any of the contents is so old that the sweep may delete it. */
  readonly assertFresh: () => void
  /** Call this before the request that makes a record name the contents. */
  readonly onSending: () => void
}

/** Half the age at which the sweep deletes unnamed objects. */
const MAX_AGE_MS = 12 * 60 * 60_000

export function createStaging ({ store, names, ready, deleteLater }: S3Services) {
  const staged = new WeakMap<Content, StoredObject>()

  async function stored (
    fileId: string | undefined, { isStaged, source }: Pick<StoredObject, 'isStaged' | 'source'>,
    put: (key: string) => Promise<number>
  ): Promise<StoredObject> {
    await ready()
    const name = randomUUID()
    const assertFresh = freshness()
    const size = await put(names.content(fileId, name))
    return { fileId, name, size, assertFresh, isStaged, source, status: isStaged ? 'free' : 'used' }
  }

  async function * bytesOf ({ fileId, name, size }: StoredObject): AsyncGenerator<Uint8Array> {
    const body = await store.open(names.content(fileId, name), size)
    if (!body) throw new StorageError('the staged content is no longer there', { retryable: false })
    yield * body as AsyncIterable<Uint8Array>
  }

  /**
   * Uploads content. Content staged for the same document is already in place, other staged content is copied by the
   * store. Afterwards, `naming` must be called with it.
   */
  async function place (fileId: string, content: Content): Promise<StoredObject> {
    const object = staged.get(content)
    if (!object) return await stored(fileId, { isStaged: false }, async key => await store.upload(key, content))
    if (object.fileId === fileId && object.status === 'free') {
      object.status = 'used'
      return object
    }
    const { name, size } = object
    const from = names.content(object.fileId, name)
    return await stored(fileId, { isStaged: false, source: object }, async key => await store.copy(from, key, size))
  }

  function notNamed (object: StoredObject): void {
    object.status = 'free'
    if (!object.isStaged) deleteLater(object.fileId, [object.name])
  }

  return {
    place,

    isStaged: (content: Content) => staged.has(content),

    async stage (fileId: string, content: AsyncIterable<Uint8Array>): Promise<StagedContent> {
      const safeFileId = isSafeFileId(fileId) ? fileId : undefined
      const object = await stored(safeFileId, { isStaged: true }, async key => await store.upload(key, content))
      const result: StagedContent = {
        size: object.size,
        async discard () {
          if (object.status !== 'free') return
          object.status = 'gone'
          await store.remove(names.content(object.fileId, object.name)).catch(() => {}) // the sweep deletes it
        },
        [Symbol.asyncIterator]: () => bytesOf(object)
      }
      staged.set(result, object)
      return result
    },

    /**
     * Runs a write that names placed contents, and deletes those that no record names. Possibly named content is left
     * for the sweep, which deletes it if no record names it.
     */
    async naming (
      fileId: string, placed: readonly StoredObject[], write: (naming: Naming) => Promise<boolean>
    ): Promise<boolean> {
      const contents = [...placed]
      const blobs = new Map<Content | string, Blob>()
      let isSent = false
      async function placeOnce (content: Content | string): Promise<Blob> {
        const known = blobs.get(content)
        if (known) return known
        const object = await place(fileId, typeof content === 'string' ? Buffer.from(content) : content)
        contents.push(object)
        const blob = { name: object.name, size: object.size }
        blobs.set(content, blob)
        return blob
      }
      const assertFresh = () => contents.forEach(content => content.assertFresh())

      try {
        const isWritten = await write({ placeOnce, assertFresh, onSending: () => { isSent = true } })
        if (!isWritten) {
          contents.forEach(notNamed)
          return false
        }
        for (const { source } of contents) {
          if (source?.status !== 'free') continue
          source.status = 'gone'
          deleteLater(source.fileId, [source.name])
        }
        assertFresh()
        return true
      } catch (error) {
        for (const content of contents) {
          if (isSent) content.status = 'unknown'
          else notNamed(content)
        }
        throw error
      }
    }
  }
}

/** Uses two clocks: one stands still while the machine is suspended, the other may be set. */
function freshness (): () => void {
  const [monotonic, wall] = [performance.now(), Date.now()]
  return () => {
    if (Math.max(performance.now() - monotonic, Date.now() - wall) > MAX_AGE_MS) {
      throw new StorageError('the content was staged too long ago to be published')
    }
  }
}
