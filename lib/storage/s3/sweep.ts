import { setTimeout as delay } from 'node:timers/promises'
import { StorageError } from '../../errors.js'
import { type DocumentRecord, GARBAGE_MS } from './document-record.js'
import { readMark } from './mark.js'
import type { ObjectNames } from './names.js'
import type { ListedObject, ObjectStore } from './object-store.js'
import type { Records } from './records.js'
import type { SweepOptions, SweepResult } from './sweeping.js'
import type { S3Versions } from './versions.js'

export interface SweepDependencies {
  readonly store: ObjectStore
  readonly names: ObjectNames
  readonly records: Records
  readonly versions: S3Versions
}

const DAY_MS = 24 * 60 * 60_000
const AT_ONCE = 4
/** Of documents: then the store itself is the reason. */
const MAX_FAILURES = 16
const MAX_PAUSE_BETWEEN_CHECKS_MS = 60 * 60_000

/** Deletes what no record names: contents that were never published, those of removed documents, and uploads that were not completed. */
export function createSweep ({ store, names, records, versions }: SweepDependencies) {
  async function sweep ({ olderThan = DAY_MS, signal = new AbortController().signal }: SweepOptions = {}): Promise<SweepResult> {
    await readMark(store, names) // or rejects: the objects may be another program's
    const result = { objects: 0, bytes: 0, uploads: 0 }
    const before = store.now().earliest - olderThan
    const remove = async (objects: readonly ListedObject[]): Promise<void> => {
      for (const { key, size } of objects) {
        signal.throwIfAborted()
        await store.remove(key)
        result.objects++
        result.bytes += size
      }
    }

    const failures: unknown[] = []
    const documents = new Set<Promise<void>>()
    for await (const objects of byDocument()) {
      signal.throwIfAborted()
      const old = objects.filter(({ modifiedAt }) => modifiedAt.getTime() < before)
      if (old.length === 0) continue
      // One that fails does not keep the others waiting for the next sweep.
      const sweeping: Promise<void> = sweepDocument(old, remove).catch(error => { failures.push(error) }).finally(() => documents.delete(sweeping))
      documents.add(sweeping)
      if (documents.size >= AT_ONCE) await Promise.race(documents)
      if (failures.length >= MAX_FAILURES) break
    }
    await Promise.all(documents)
    signal.throwIfAborted()

    for await (const probe of store.list(names.probes)) if (names.isProbe(probe.key) && probe.modifiedAt.getTime() < before) await remove([probe])
    for await (const upload of store.uploads(names.contents)) {
      signal.throwIfAborted()
      if (upload.startedAt.getTime() >= before || !names.parseContent(upload.key)) continue
      await store.abortUpload(upload)
      result.uploads++
    }
    if (failures.length > 0) throw failures[0]
    return result
  }

  /** The objects of each document: listings are sorted by key. */
  async function * byDocument (): AsyncGenerator<readonly ListedObject[]> {
    let group: ListedObject[] = []
    let folder = ''
    for await (const object of store.list(names.contents)) {
      if (!names.parseContent(object.key)) continue // of another program
      const itsFolder = object.key.slice(0, object.key.lastIndexOf('/'))
      if (itsFolder !== folder && group.length > 0) {
        yield group
        group = []
      }
      folder = itsFolder
      group.push(object)
    }
    if (group.length > 0) yield group
  }

  async function sweepDocument (old: readonly ListedObject[], remove: (objects: readonly ListedObject[]) => Promise<void>): Promise<void> {
    const { fileId } = names.parseContent(old[0]!.key)!
    if (fileId === undefined) return await remove(old)
    try {
      const { record, modifiedAt } = await records.read(fileId)
      if (!record) return await remove(old)
      const superseded = supersededAt(record, modifiedAt)
      if ((await unnamed(fileId, record, old, superseded)).length === 0) return
      // The write makes sure that nobody can name them any more: a write that was prepared before it, however long ago, will fail.
      let gone: readonly ListedObject[] = []
      await records.write(fileId, async current => {
        gone = current ? await unnamed(fileId, current, old, superseded) : [] // those of a removed document are left to the next sweep
        const goneNames = new Set(gone.map(nameOf))
        return current === null || gone.length === 0 ? null : { record: { ...current, garbage: current.garbage.filter(({ name }) => !goneNames.has(name)) } }
      })
      await remove(gone)
    } catch (error) {
      // A damaged record: nobody knows what it names.
      if (!(error instanceof StorageError) || error.retryable) throw error
    }
  }

  /** By name, of the garbage in a record. What has no time yet was superseded when the record was modified. */
  function supersededAt ({ garbage }: DocumentRecord, modifiedAt: Date | undefined): ReadonlyMap<string, number> {
    return new Map(garbage.map(({ name, since = modifiedAt?.getTime() ?? Infinity }) => [name, since]))
  }

  /** What is garbage in the record and not in `superseded` has become so only now. */
  async function unnamed (fileId: string, record: DocumentRecord, objects: readonly ListedObject[], superseded: ReadonlyMap<string, number>): Promise<readonly ListedObject[]> {
    const { names: needed, areAll } = await versions.named(fileId, record)
    if (!areAll) return []
    const ripeSince = store.now().earliest - GARBAGE_MS
    for (const { name } of record.garbage) if ((superseded.get(name) ?? Infinity) > ripeSince) needed.add(name)
    return objects.filter(object => !needed.has(nameOf(object)))
  }

  function nameOf ({ key }: ListedObject): string {
    return names.parseContent(key)!.name
  }

  /** Whether this instance is the one that sweeps now. */
  async function claim (interval: number): Promise<boolean> {
    const { value, found: { etag, modifiedAt } } = await readMark(store, names)
    const now = store.now().earliest
    if (value.sweptAt !== undefined && modifiedAt && modifiedAt.getTime() + interval > now) return false
    await store.put(names.mark, JSON.stringify({ ...value, sweptAt: new Date(now).toISOString() }), { etag })
    return true
  }

  /** Sweeps whenever it is due, until the signal is aborted. Never rejects: the next time tries again. */
  async function keepSweeping (interval: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pause = Math.min(interval, MAX_PAUSE_BETWEEN_CHECKS_MS) * (0.5 + Math.random() / 2)
      await delay(pause, undefined, { ref: false, signal }).catch(() => {})
      try {
        if (!signal.aborted && await claim(interval)) await sweep({ signal })
      } catch {}
    }
  }

  return { sweep, keepSweeping }
}
