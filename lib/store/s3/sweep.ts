import { setTimeout as delay } from 'node:timers/promises'
import type { StorageSweepOptions } from '../../../types/storage.js'
import { StorageError } from '../../errors.js'
import type { Records } from '../records.js'
import { SWEEP_AGE_MS, sweepBlobs } from '../sweep.js'
import type { S3Services } from './object-store.js'
import { parseMark } from './start.js'
import { isConflict } from './store-errors.js'

const MAX_PAUSE_BETWEEN_CHECKS_MS = 60 * 60_000

/** Deletes objects that no record names, and incomplete uploads. */
export function createSweep ({ store, names }: S3Services, records: Records) {
  async function sweep ({ olderThan = SWEEP_AGE_MS, signal }: StorageSweepOptions) {
    const now = await markSweep()
    const { count: objects, bytes, failures } = await sweepBlobs({
      blobs: ownObjects(),
      drop: async ({ key }) => await store.remove(key),
      records,
      now,
      olderThan,
      signal
    })
    let uploads = 0
    for await (const upload of store.uploads(names.contents)) {
      signal?.throwIfAborted()
      if (upload.startedAt.getTime() >= now - olderThan || !names.parseContent(upload.key)) continue
      await store.abortUpload(upload.key, upload.id)
      uploads++
    }
    if (failures.length > 0) throw failures[0]
    return { objects, bytes, uploads }
  }

  /** Listings are sorted by key. Leaves out the objects of other programs. */
  async function * ownObjects () {
    for await (const object of store.list(names.contents)) {
      const parsed = names.parseContent(object.key)
      if (parsed) yield { ...object, ...parsed }
    }
  }

  /**
   * The object that marks a prefix as used by this library. Nothing is deleted without it: the objects may be another
   * program's.
   */
  async function readMark () {
    const found = await store.get(names.mark)
    const value = found && parseMark(found.text)
    if (value && found.modifiedAt) return { value, etag: found.etag, modifiedAt: found.modifiedAt.getTime() }
    const what = `the object ${names.mark} is missing or damaged`
    throw new StorageError(`${what}, so nothing is swept: restart the application`, { retryable: false })
  }

  /** Writes the time of a sweep. Resolves to the store's time: the clock of this instance may be wrong. */
  async function markSweep (): Promise<number> {
    const { value, etag } = await readMark()
    await claim(value, etag).catch(error => { if (!isConflict(error)) throw error }) // another sweep has just begun
    return (await readMark()).modifiedAt
  }

  async function claim (value: object, etag: string): Promise<void> {
    await store.put(names.mark, JSON.stringify({ ...value, sweptAt: new Date().toISOString() }), { etag })
  }

  /** Sweeps whenever it is due, until the signal is aborted. Never rejects: the next time tries again. */
  async function keepSweeping (interval: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pause = Math.min(interval, MAX_PAUSE_BETWEEN_CHECKS_MS) * (0.5 + Math.random() / 2)
      await delay(pause, undefined, { ref: false, signal }).catch(() => {})
      try {
        if (signal.aborted) return
        const { value, etag, modifiedAt } = await readMark()
        if (value.sweptAt !== undefined && modifiedAt + interval > Date.now()) continue
        await claim(value, etag)
        await sweep({ signal })
      } catch {}
    }
  }

  return { sweep, keepSweeping }
}
