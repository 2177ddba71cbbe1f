import { setTimeout as delay } from 'node:timers/promises'
import { InvalidOptionError, StorageError, UnknownRecordError } from '../../errors.js'
import { isJsonObject, type JsonObject, parseJson } from '../../util/text.js'
import { type DocumentRecord, GARBAGE_MS, parseRecord, type Records } from './document-record.js'
import { markOf } from './names.js'
import type { ListedObject, SmallObject } from './object-store.js'
import type { S3Services } from './services.js'
import type { SweepOptions } from './sweep-options.js'
import type { S3Versions } from './versions.js'

type NamedObject = ListedObject & { readonly name: string }

const DAY_MS = 24 * 60 * 60_000
const AT_ONCE = 4
/** After this many failed documents, the store itself must be the reason. */
const MAX_FAILURES = 16
const MAX_PAUSE_BETWEEN_CHECKS_MS = 60 * 60_000

/**
 * Deletes objects that no record names: contents that were never published, contents of removed documents, and
 * incomplete uploads.
 */
export function createSweep (services: S3Services, records: Records, versions: S3Versions) {
  const { store, names } = services

  async function sweep ({ olderThan = DAY_MS, signal = new AbortController().signal }: SweepOptions) {
    await readMark(services) // or rejects: the objects may be another program's
    const deleted = { objects: 0, bytes: 0, uploads: 0 }
    const before = store.now().earliest - olderThan
    async function remove (objects: readonly ListedObject[]): Promise<void> {
      for (const { key, size } of objects) {
        signal.throwIfAborted()
        await store.remove(key)
        deleted.objects++
        deleted.bytes += size
      }
    }

    const failures: unknown[] = []
    const documents = new Set<Promise<void>>()
    for await (const { fileId, objects } of byDocument()) {
      signal.throwIfAborted()
      const old = objects.filter(({ modifiedAt }) => modifiedAt.getTime() < before)
      if (old.length === 0) continue
      // A failing document must not delay the others until the next sweep.
      const sweeping: Promise<void> = unneeded(fileId, old)
        .then(remove)
        .catch(error => { failures.push(error) })
        .finally(() => documents.delete(sweeping))
      documents.add(sweeping)
      if (documents.size >= AT_ONCE) await Promise.race(documents)
      if (failures.length >= MAX_FAILURES) break
    }
    await Promise.all(documents)
    signal.throwIfAborted()

    for await (const probe of store.list(names.probes)) {
      if (names.isProbe(probe.key) && probe.modifiedAt.getTime() < before) await remove([probe])
    }
    for await (const upload of store.uploads(names.contents)) {
      signal.throwIfAborted()
      if (upload.startedAt.getTime() >= before || !names.parseContent(upload.key)) continue
      await store.abortUpload(upload.key, upload.id)
      deleted.uploads++
    }
    if (failures.length > 0) throw failures[0]
    return deleted
  }

  /** The objects of each document: listings are sorted by key. */
  async function * byDocument () {
    let document: { readonly fileId: string | undefined, readonly objects: NamedObject[] } | undefined
    for await (const object of store.list(names.contents)) {
      const parsed = names.parseContent(object.key)
      if (!parsed) continue // of another program
      if (document && document.fileId !== parsed.fileId) {
        yield document
        document = undefined
      }
      document ??= { fileId: parsed.fileId, objects: [] }
      document.objects.push({ ...object, name: parsed.name })
    }
    if (document) yield document
  }

  /** Makes sure that nobody can name the returned objects any longer. */
  async function unneeded (fileId: string | undefined, old: readonly NamedObject[]): Promise<readonly NamedObject[]> {
    if (fileId === undefined) return old
    try {
      const { record, modifiedAt } = await records.read(fileId)
      if (!record) return old
      // Garbage without a time was superseded when the record was modified.
      const superseded = new Map(
        record.garbage.map(({ name, since = modifiedAt?.getTime() ?? Infinity }) => [name, since])
      )
      if ((await unnamed(fileId, record, old, superseded)).length === 0) return []
      // A write that was prepared earlier, however long ago, will fail after this one.
      let gone: readonly NamedObject[] = []
      await records.write(fileId, async current => {
        // objects of a removed document are left to the next sweep
        gone = current ? await unnamed(fileId, current, old, superseded) : []
        const goneNames = new Set(gone.map(({ name }) => name))
        return current === null || gone.length === 0
          ? null
          : { record: { ...current, garbage: current.garbage.filter(({ name }) => !goneNames.has(name)) } }
      })
      return gone
    } catch (error) {
      const isUnreadable = error instanceof UnknownRecordError || (error instanceof StorageError && !error.retryable)
      if (!isUnreadable) throw error
      return [] // it is unknown what the record names
    }
  }

  /** The objects that are no longer needed. Garbage that is not in `superseded` is new and still needed. */
  async function unnamed (
    fileId: string, record: DocumentRecord, objects: readonly NamedObject[], superseded: ReadonlyMap<string, number>
  ): Promise<readonly NamedObject[]> {
    const { names: needed, areAll } = await versions.named(fileId, record)
    if (!areAll) return []
    const ripeSince = store.now().earliest - GARBAGE_MS
    for (const { name } of record.garbage) if ((superseded.get(name) ?? Infinity) > ripeSince) needed.add(name)
    return objects.filter(({ name }) => !needed.has(name))
  }

  /** Resolves to whether this instance is to sweep now. */
  async function claim (interval: number): Promise<boolean> {
    const { value, found: { etag, modifiedAt } } = await readMark(services)
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

/**
 * Marks the prefix at its first use. The storage writes nothing before that: what it finds in an unmarked prefix is not
 * its own, unless somebody has deleted the mark.
 *
 * @throws InvalidOptionError: another program uses the prefix, or the prefix overlaps with another one.
 */
export async function markPrefix (services: S3Services): Promise<void> {
  const { store, names } = services
  await refuseOverlaps(services)
  if (await isMarked(services)) return
  const stranger = await findStranger(services)
  // Another instance starting at the same time may have marked the prefix and then made that object.
  if (stranger !== undefined && !await isMarked(services)) {
    throw new InvalidOptionError('prefix', 'must be one that nothing else uses, but the bucket already has ' +
      `${JSON.stringify(stranger)}: choose another prefix. If this storage made everything there, create the object ` +
      `${names.mark} with the text {"format":1}`)
  }
  await store.put(names.mark, JSON.stringify({ format: 1 }), 'absent').catch(async error => {
    if (!await isMarked(services)) throw error
  })
  // If an overlapping prefix is marked at the same time, at least one of the two applications sees the other's mark.
  await refuseOverlaps(services).catch(async error => {
    if (error instanceof InvalidOptionError) await store.remove(names.mark).catch(() => {})
    throw error
  })
}

/**
 * The object that marks a prefix as used by this library. Nothing is deleted without it. `value`: a newer version of
 * this library may have added properties.
 *
 * @throws StorageError: the mark is missing, or this version cannot read it.
 */
async function readMark ({ store, names }: S3Services) {
  const found = await store.get(names.mark)
  const value = found && parseMark(found)
  if (value) return { value, found }
  const what = `the object ${names.mark} is missing or damaged`
  throw new StorageError(`${what}, so nothing is swept: restart the application`, { retryable: false })
}

async function isMarked ({ store, names }: S3Services): Promise<boolean> {
  const found = await store.get(names.mark)
  if (found === null || parseMark(found)) return found !== null
  throw new InvalidOptionError('prefix', `must be one that nothing else uses, but the object ${names.mark} was ` +
    'written by another program or by a newer version of this library: choose another prefix, or update this library')
}

function parseMark ({ text }: SmallObject): JsonObject | undefined {
  const value = parseJson(text)
  return isJsonObject(value) && value.format === 1 ? value : undefined
}

async function refuseOverlaps ({ store, names }: S3Services): Promise<void> {
  const marks = await Promise.all(names.overlapping.map(async prefix => await store.get(markOf(prefix))))
  const other = names.overlapping[marks.findIndex(mark => mark !== null)]
  if (other === undefined) return
  throw new InvalidOptionError('prefix', `must not overlap with the prefix '${other}', which is in use in the same ` +
    'bucket: neither may be in the folders records/, contents/ and probe/ of the other. Choose another prefix, or ' +
    `delete the object ${markOf(other)} if that prefix is no longer used`)
}

/**
 * The key of an object or upload in a folder of the prefix; `undefined` if there is none, or if the first record was
 * written by this library. Looks only at the first key in each folder, because there may be millions.
 */
async function findStranger ({ store, names }: S3Services): Promise<string | undefined> {
  const first = await firstKey(store.list(names.records))
  if (first !== undefined) {
    const fileId = names.parseRecord(first)
    const found = fileId === undefined ? null : await store.get(first)
    return found && isRecord(fileId!, found.text) ? undefined : first
  }
  return await firstKey(store.list(names.contents)) ??
    await firstKey(store.list(names.probes)) ??
    await firstKey(store.uploads(names.contents))
}

function isRecord (fileId: string, text: string): boolean {
  try {
    return parseRecord(fileId, text) !== undefined
  } catch {
    return false
  }
}

async function firstKey (listing: AsyncIterable<{ readonly key: string }>): Promise<string | undefined> {
  const { done, value } = await listing[Symbol.asyncIterator]().next()
  return done === true ? undefined : value.key
}
