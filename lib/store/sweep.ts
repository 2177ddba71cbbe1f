import { setTimeout as delay } from 'node:timers/promises'
import type { StorageSweepOptions } from '../../types/storage.js'
import type { StoredBlob } from '../../types/storage-driver.js'
import { assertOptions, type Rules } from '../util/validate.js'
import { isUnreadable } from './document-store.js'
import { type DocumentRecord, namesIn } from './record.js'
import { GARBAGE_MS, type Records } from './records.js'

/** A blob that a listing has found. */
export interface ListedBlob extends StoredBlob {
  readonly fileId: string
  readonly modifiedAt: Date
}

interface Swept<Listed extends ListedBlob> {
  /** All blobs, those of a document one after the other. */
  readonly blobs: AsyncIterable<Listed>
  readonly drop: (blob: Listed) => Promise<void>
  readonly records: Records
  /** By the clock of the storage, in milliseconds. */
  readonly now: number
  /** Milliseconds: younger blobs stay. */
  readonly olderThan: number
  readonly signal?: AbortSignal | undefined
}

export const SWEEP_AGE_MS = 24 * 60 * 60_000
const AT_ONCE = 4

/**
 * Deletes blobs that no record names: contents that were never published, and contents of removed documents.
 * `failures`: a failing document must not delay the others until the next sweep.
 */
export async function sweepBlobs<Listed extends ListedBlob> (
  { blobs, drop, records, now, olderThan, signal }: Swept<Listed>
) {
  const deleted = { count: 0, bytes: 0, failures: [] as unknown[] }
  const documents = new Set<Promise<void>>()
  for await (const { fileId, found } of byDocument(blobs)) {
    signal?.throwIfAborted()
    const old = found.filter(({ modifiedAt }) => modifiedAt.getTime() < now - olderThan)
    if (old.length === 0) continue
    const sweeping: Promise<void> = unneeded(records, fileId, old, now - GARBAGE_MS)
      .then(remove)
      .catch(error => { deleted.failures.push(error) })
      .finally(() => documents.delete(sweeping))
    documents.add(sweeping)
    if (documents.size >= AT_ONCE) await Promise.race(documents)
  }
  await Promise.all(documents)
  signal?.throwIfAborted()
  return deleted

  async function remove (gone: readonly Listed[]): Promise<void> {
    for (const blob of gone) {
      signal?.throwIfAborted()
      await drop(blob)
      deleted.count++
      deleted.bytes += blob.size
    }
  }
}

interface Regularity {
  /** Milliseconds until the first sweep: many instances may be starting. */
  readonly first: number
  /** Milliseconds between two sweeps. */
  readonly interval: number
  readonly signal: AbortSignal
}

/**
 * Sweeps again and again until the signal is aborted, with pauses that differ between the instances. Never rejects: the
 * next time tries again.
 */
export async function sweepRegularly (
  sweep: (options: { readonly signal: AbortSignal }) => Promise<unknown>, { first, interval, signal }: Regularity
): Promise<void> {
  for (let pause = first; ; pause = interval) {
    await delay(pause * (0.5 + Math.random() / 2), undefined, { ref: false, signal }).catch(() => {})
    if (signal.aborted) return
    await sweep({ signal }).catch(() => {})
  }
}

interface Sweeping<Options extends StorageSweepOptions, Result> {
  readonly rules: Rules<Options>
  readonly ready: () => Promise<void>
  readonly sweep: (options: Options) => Promise<Result>
  /** Ends the sweeps in the background. */
  readonly closing: AbortController
}

/** The methods of a storage that are about its sweeps. */
export function sweepMethods<Options extends StorageSweepOptions, Result> (
  { rules, ready, sweep, closing }: Sweeping<Options, Result>
) {
  return {
    async sweep (options: Options = {} as Options): Promise<Result> {
      assertOptions(rules, options)
      await ready()
      return await sweep(options)
    },

    async close (): Promise<void> {
      closing.abort()
    }
  }
}

async function * byDocument<Listed extends ListedBlob> (blobs: AsyncIterable<Listed>) {
  let document: { readonly fileId: string, readonly found: Listed[] } | undefined
  for await (const blob of blobs) {
    if (document && document.fileId !== blob.fileId) {
      yield document
      document = undefined
    }
    document ??= { fileId: blob.fileId, found: [] }
    document.found.push(blob)
  }
  if (document) yield document
}

/** Makes sure that nobody can name the returned blobs any longer. */
async function unneeded<Listed extends ListedBlob> (
  records: Records, fileId: string, old: readonly Listed[], ripeSince: number
): Promise<readonly Listed[]> {
  try {
    const { record, modifiedAt } = await records.read(fileId)
    if (!record) return old
    // Garbage without a time was superseded when the record was modified.
    const ripe = new Set(record.garbage
      .filter(({ since = modifiedAt?.getTime() ?? Infinity }) => since <= ripeSince)
      .map(({ name }) => name))
    if (unnamed(record, old, ripe).length === 0) return []
    // A write that was prepared earlier, however long ago, will fail after this one.
    let gone: readonly Listed[] = []
    await records.change(fileId, current => {
      // blobs of a removed document are left to the next sweep
      gone = current ? unnamed(current, old, ripe) : []
      const goneNames = new Set(gone.map(({ name }) => name))
      return current === null || gone.length === 0
        ? null
        : { ...current, garbage: current.garbage.filter(({ name }) => !goneNames.has(name)) }
    })
    return gone
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return [] // it is unknown what the record names
  }
}

/** The blobs that are no longer needed. Garbage that is not ripe may still be read by somebody. */
function unnamed<Listed extends StoredBlob> (
  record: DocumentRecord, blobs: readonly Listed[], ripe: ReadonlySet<string>
): readonly Listed[] {
  const needed = namesIn(record)
  for (const { name } of record.garbage) if (!ripe.has(name)) needed.add(name)
  return blobs.filter(({ name }) => !needed.has(name))
}
