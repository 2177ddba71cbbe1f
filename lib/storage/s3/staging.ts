import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { Content, StagedContent } from '../../../types/storage.js'
import { StorageError } from '../../errors.js'
import { isSafeFileId } from '../../security/names.js'
import { acceptContent } from '../../util/streams.js'
import type { Blob } from '../version-log.js'
import type { ObjectNames } from './names.js'
import type { ObjectStore } from './object-store.js'

/**
 * Content that is stored where a record of its document can name it. Afterwards, exactly one of `named`,
 * `possiblyNamed` and `notNamed` must be called. Possibly named content is left for the sweep, which deletes it if no
 * record names it.
 */
export interface PlacedContent {
  readonly name: string
  readonly size: number
  /** Throws if the content is so old that the sweep may delete it. */
  assertFresh (): void
  named (): void
  possiblyNamed (): void
  notNamed (): void
}

export interface Staging {
  stage (fileId: string, content: AsyncIterable<Uint8Array>): Promise<StagedContent>
  /**
   * Uploads content. Content staged for the same document is already in place, other staged content is copied by the
   * store.
   */
  place (fileId: string, content: Content): Promise<PlacedContent>
  isStaged (content: Content): boolean
}

interface StagedObject {
  readonly fileId: string | undefined
  readonly name: string
  readonly size: number
  readonly assertFresh: () => void
  /**
   * `free`: certainly no record names the object. `used`: somebody is about to name it or has named it. `unknown`: a
   * record may name it.
   */
  status: 'free' | 'used' | 'unknown' | 'gone'
}

interface StagingDependencies {
  readonly store: ObjectStore
  readonly names: ObjectNames
  readonly deleteLater: (fileId: string | undefined, names: readonly string[]) => void
}

/** Half the age at which the sweep deletes unnamed objects. */
const MAX_AGE_MS = 12 * 60 * 60_000

export function createStaging ({ store, names, deleteLater }: StagingDependencies): Staging {
  const staged = new WeakMap<Content, StagedObject>()

  async function uploaded (fileId: string | undefined, content: Content): Promise<StagedObject> {
    const name = randomUUID()
    const assertFresh = freshness()
    const size = await store.upload(names.content(fileId, name), content)
    return { fileId, name, size, assertFresh, status: 'free' }
  }

  async function copied ({ fileId, name, size }: StagedObject, newFileId: string): Promise<StagedObject> {
    const newName = randomUUID()
    const assertFresh = freshness()
    await store.copy(names.content(fileId, name), names.content(newFileId, newName), size)
    return { fileId: newFileId, name: newName, size, assertFresh, status: 'free' }
  }

  function placed (
    object: StagedObject,
    { isOwn, source }: { readonly isOwn: boolean, readonly source?: StagedObject | undefined }
  ): PlacedContent {
    const { name, size, assertFresh } = object
    object.status = 'used'
    return {
      name,
      size,
      assertFresh,
      named () {
        if (source?.status !== 'free') return
        source.status = 'gone'
        deleteLater(source.fileId, [source.name])
      },
      possiblyNamed () {
        object.status = 'unknown'
      },
      notNamed () {
        object.status = 'free'
        if (isOwn) deleteLater(object.fileId, [name])
      }
    }
  }

  async function * bytesOf ({ fileId, name, size }: StagedObject): AsyncGenerator<Uint8Array> {
    const body = await store.open(names.content(fileId, name), size)
    if (!body) throw new StorageError('the staged content is no longer there', { retryable: false })
    yield * body as AsyncIterable<Uint8Array>
  }

  return {
    isStaged: content => staged.has(content),

    async stage (fileId, content) {
      acceptContent(content)
      const object = await uploaded(isSafeFileId(fileId) ? fileId : undefined, content)
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

    async place (fileId, content) {
      const object = staged.get(content)
      if (!object) return placed(await uploaded(fileId, content), { isOwn: true })
      if (object.fileId === fileId && object.status === 'free') return placed(object, { isOwn: false })
      return placed(await copied(object, fileId), { isOwn: true, source: object })
    }
  }
}

/** Runs a write that names placed contents, and reports its outcome to them. The write may add more contents. */
export async function naming (
  contents: readonly PlacedContent[],
  write: (onSending: () => void) => Promise<boolean>
): Promise<boolean> {
  let isSent = false
  try {
    const isWritten = await write(() => { isSent = true })
    for (const content of contents) isWritten ? content.named() : content.notNamed()
    if (isWritten) for (const content of contents) content.assertFresh()
    return isWritten
  } catch (error) {
    for (const content of contents) isSent ? content.possiblyNamed() : content.notNamed()
    throw error
  }
}

/** Places content or a text, each only once, because a stream can be read only once. */
export type PlaceOnce = (content: Content | string) => Promise<Blob>

/** Adds the placed content to `contents`. */
export function placingOnce ({ place }: Staging, fileId: string, contents: PlacedContent[]): PlaceOnce {
  const blobs = new Map<Content | string, Blob>()
  return async function placeOnce (content) {
    const known = blobs.get(content)
    if (known) return known
    const placed = await place(fileId, typeof content === 'string' ? Buffer.from(content) : content)
    contents.push(placed)
    const blob = { name: placed.name, size: placed.size }
    blobs.set(content, blob)
    return blob
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
