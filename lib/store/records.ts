import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { BusyError, NameTakenError, StorageError, UnknownRecordError } from '../errors.js'
import { isSafeFileId } from '../security/names.js'
import { BoundedMap } from '../util/limits.js'
import { createQueue } from '../util/queue.js'
import type { Driver } from './contract.js'
import { type DocumentRecord, knownRecord, namesIn } from './record.js'

/** Superseded blobs stay for this long, because somebody may be reading them or have a URL for them. */
export const GARBAGE_MS = 15 * 60_000
const GARBAGE_BATCH = 8

const MAX_TAGS = 16
const MAX_REMEMBERED = 100
const BUSY_AFTER_MS = 40_000
/** A write that hangs must not delay later ones for longer. */
const MAX_WAIT_FOR_TURN_MS = 5000
const MAX_BACKOFF_MS = 500
const MAX_REPEATS = 2

export interface ReadRecord {
  readonly record: DocumentRecord | null
  readonly etag: string | null
  /** When it was set, if that is known. */
  readonly modifiedAt?: Date | undefined
}

const NO_RECORD: ReadRecord = { record: null, etag: null }

/** May be called again. Returns `null` to leave the record as it is. */
export type Changer = (record: DocumentRecord | null) => DocumentRecord | null | Promise<DocumentRecord | null>

export interface ChangeOptions {
  /** Called after a write. If `change` rejects after that, the change may have been made, or may still be made. */
  readonly onSent?: () => void
  /** Expects the document to have no record, so nothing is read first. */
  readonly isNew?: boolean
}

export type Records = ReturnType<typeof createRecords>

/**
 * The records of all documents, changed by compare-and-set. Only these changes make anything visible.
 *
 * Every change has a random tag. A write that rejected has succeeded if its tag is in the record. It can no longer
 * succeed if the record has another ETag. A record keeps only the latest tags: after many other writes it is unknown
 * whether a write succeeded, which is an error.
 */
export function createRecords (driver: Driver) {
  const queue = createQueue()
  /** Records that the next change can be based on. Reads are never answered from it. */
  const remembered = new BoundedMap<string, ReadRecord>(MAX_REMEMBERED)

  async function read (fileId: string): Promise<ReadRecord> {
    remembered.delete(fileId)
    const found = await driver.get(fileId)
    if (!found) return NO_RECORD
    const { etag, modifiedAt } = found
    const read: ReadRecord = { record: knownRecord(fileId, found.record), etag, modifiedAt }
    remembered.set(fileId, read)
    return read
  }

  async function change (fileId: string, changer: Changer, { onSent, isNew = false }: ChangeOptions) {
    const giveUpAt = performance.now() + BUSY_AFTER_MS
    const tag = randomUUID()
    const assumed = remembered.get(fileId) ?? (isNew ? NO_RECORD : undefined)
    let base = assumed ?? await read(fileId)
    let isRead = assumed === undefined
    let repeats = 0

    for (let round = 0; ; round++) {
      const changed = await changer(base.record)
      if (changed === null) {
        if (isRead) return false
        base = await read(fileId)
        isRead = true
        continue
      }
      const { record, ripe } = finished(changed, tag, base)
      const { isSet, error } = await set(fileId, record, base.etag)
      // The driver finds that before it writes anything.
      const isNameTaken = error instanceof NameTakenError
      if (!isNameTaken) onSent?.()
      const found = isSet
        ? undefined
        : await read(fileId).catch((readError: unknown) => {
          throw readError instanceof UnknownRecordError || error === undefined ? readError : error
        })
      if (!found || found.record?.tags.includes(tag)) {
        dropLater(fileId, ripe)
        return true
      }
      const isOver = performance.now() > giveUpAt
      const isUseless = error !== undefined && !(error as Partial<StorageError>).retryable
      // The faster writer may have given this document the name that it would get.
      if (isUseless && !(isNameTaken && found.etag !== base.etag)) throw error
      if (found.etag === base.etag) {
        // Nothing has changed. The write may still arrive, and is repeated.
        if (++repeats > MAX_REPEATS || isOver) throw error ?? new BusyError(BUSY)
        await pause(repeats)
        continue
      }
      const wasRefused = repeats === 0 && (error === undefined || isNameTaken)
      if (found.record && !wasRefused && !showsNextWrite(found.record, base.record)) {
        throw error ?? new StorageError(
          'the record kept changing, so it is unknown whether this change was made'
        )
      }
      if (isOver) throw new BusyError(BUSY)
      if (round > 0) await pause(round)
      base = round === 0 ? found : await read(fileId) // it has probably changed during the pause
      isRead = true
      repeats = 0
    }
  }

  async function set (fileId: string, record: DocumentRecord, ifMatch: string | null) {
    remembered.delete(fileId)
    try {
      const etag = await driver.set(fileId, record, ifMatch)
      if (etag !== null) remembered.set(fileId, { record, etag })
      return { isSet: etag !== null }
    } catch (error) {
      return { isSet: false, error: error as unknown }
    }
  }

  /** Drops blobs in the background. */
  function dropLater (fileId: string, names: Iterable<string>): void {
    drop(fileId, names).catch(() => {})
  }

  async function drop (fileId: string, names: Iterable<string>): Promise<void> {
    for (const name of names) await driver.drop(fileId, name)
  }

  return {
    /** Always reads from the storage. */
    read,

    /** The record of a document; `null` if there is none, or the fileId is malformed. */
    async recordOf (fileId: string): Promise<DocumentRecord | null> {
      if (!isSafeFileId(fileId)) return null
      await driver.ready()
      return (await read(fileId)).record
    },

    /**
     * Resolves to whether the change was made; for a malformed fileId, to `false`. One process makes the changes of a
     * document one after the other, so that none waits forever.
     */
    async change (fileId: string, changer: Changer, options: ChangeOptions = {}): Promise<boolean> {
      if (!isSafeFileId(fileId)) return false
      await driver.ready()
      return await queue.enter(fileId, async turn => {
        const over = new AbortController()
        await Promise.race([turn, delay(MAX_WAIT_FOR_TURN_MS, undefined, { signal: over.signal }).catch(() => {})])
        over.abort()
        return await change(fileId, changer, options)
      })
    },

    /** Call this after the record has been removed. */
    forget (fileId: string): void {
      remembered.delete(fileId)
    },

    drop,
    dropLater
  }
}

const BUSY = 'other instances kept changing its record'

/**
 * The record to write, and the names of blobs that can be dropped once it is written. What the record no
 * longer names becomes garbage. What the write before this one has superseded gets the time of that write, if it is
 * known.
 */
function finished (record: DocumentRecord, tag: string, base: ReadRecord) {
  const named = namesIn(record)
  const superseded = [...base.record ? namesIn(base.record) : []].filter(name => !named.has(name))
  const time = base.modifiedAt?.getTime() ?? NaN
  // Another program may have put a file back that had been replaced.
  const garbage = record.garbage.filter(({ name }) => !named.has(name)).map(item =>
    item.since === undefined && base.modifiedAt ? { ...item, since: time } : item
  )
  const found = garbage.filter(({ since }) => since !== undefined && since + GARBAGE_MS <= time)
  const ripe = found.length >= GARBAGE_BATCH ? found : []
  const written: DocumentRecord = {
    ...record,
    garbage: [...garbage.filter(item => !ripe.includes(item)), ...superseded.map(name => ({ name }))],
    tags: [...record.tags, tag].slice(-MAX_TAGS)
  }
  return { record: written, ripe: ripe.map(({ name }) => name) }
}

/**
 * Whether the record would still contain the tag of a successful write based on `base`. That tag would follow the tags
 * of `base`.
 */
function showsNextWrite ({ tags }: DocumentRecord, base: DocumentRecord | null): boolean {
  const last = base?.tags.at(-1)
  return tags.length < MAX_TAGS || (last !== undefined && tags.includes(last))
}

/** Pauses at random, so that instances that change the same record collide less often. */
async function pause (round: number): Promise<void> {
  await delay(Math.random() * Math.min(MAX_BACKOFF_MS, 10 * 2 ** round))
}
