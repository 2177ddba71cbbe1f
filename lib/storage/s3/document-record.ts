import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { FileInfo } from '../../../types/storage.js'
import { BusyError, StorageError } from '../../errors.js'
import { BoundedMap } from '../../util/bounded-map.js'
import { parseJson } from '../../util/json.js'
import { createQueue } from '../../util/queue.js'
import { directBlobs, EMPTY_LOG, type VersionEntry, type VersionLog } from '../version-log.js'
import { isDocumentRecord } from './document-record.compiled.js'
import type { DocumentRecord, StoredContent } from './document-record.schema.js'
import type { ObjectNames } from './names.js'
import type { ObjectStore } from './object-store.js'
import { isCertainConflict, isConflict } from './store-errors.js'
import type { StoreTime } from './store-time.js'

export type { DocumentRecord, StoredContent } from './document-record.schema.js'

const MAX_TAGS = 16

/**
 * Whether a write that was based on `base`, and was made, would be among the tags of the record as it is now. It would
 * be the next one after those of `base`.
 */
function showsNextWrite ({ tags }: DocumentRecord, base: DocumentRecord | null): boolean {
  const last = base?.tags.at(-1)
  return tags.length < MAX_TAGS || (last !== undefined && tags.includes(last))
}

/**
 * Whether a record is the one of `base` after further writes: not one of a document that was created since under the
 * same fileId.
 */
export function isLaterStateOf ({ tags }: DocumentRecord, base: DocumentRecord): boolean {
  return tags.some(tag => base.tags.includes(tag))
}

/** Superseded objects stay for as long as somebody may read them, or have a URL for them. */
export const GARBAGE_MS = 15 * 60_000
const GARBAGE_BATCH = 8

const EMPTY_RECORD: DocumentRecord = {
  format: 2,
  content: null,
  state: null,
  versions: EMPTY_LOG,
  garbage: [],
  tags: []
}

/**
 * `undefined` when the text is damaged, or was written by a version of this library that stores documents otherwise.
 */
export function parseRecord (text: string): DocumentRecord | undefined {
  const value = parseJson(text)
  return isDocumentRecord(value) ? value : undefined
}

export function infoOf (fileId: string, { extension, size, modifiedAt, revision }: StoredContent): FileInfo {
  return { fileId, extension, size, modifiedAt: new Date(modifiedAt), revision }
}

/** Names the content that counts from now on. */
export function withContent (record: DocumentRecord, content: StoredContent): DocumentRecord {
  return withGarbage({ ...record, content }, record.content ? [record.content.name] : [])
}

export function withState (record: DocumentRecord, value: unknown, version: string): DocumentRecord {
  return { ...record, state: { value, version } }
}

/** How the present content is kept as a version. */
export type Kept = Pick<VersionEntry, 'changes' | 'details' | 'session' | 'priority' | 'keptAt'>

/**
 * The present content as the newest version. It has the number of the version that is this content already, if there is
 * one.
 */
export function presentVersion (
  { content, versions }: DocumentRecord & { readonly content: StoredContent },
  { keptAt, ...kept }: Kept
): VersionEntry {
  const { name, size, extension, modifiedAt, revision } = content
  const newest = versions.entries.at(-1)
  const { version, keptAt: since } = newest?.revision === revision ? newest : { version: versions.last + 1, keptAt }
  return { version, revision, extension, modifiedAt, keptAt: since, content: { name, size }, ...kept }
}

export function withVersions (
  record: DocumentRecord,
  versions: VersionLog,
  superseded: Iterable<string>
): DocumentRecord {
  return withGarbage({ ...record, versions }, superseded)
}

/** All objects that a record names, except as garbage. */
export function directNames ({ content, versions }: DocumentRecord): Set<string> {
  return new Set([...content ? [content.name] : [], ...directBlobs(versions).keys()])
}

/** No object that a segment names is superseded before its version is removed. */
function withGarbage (record: DocumentRecord, candidates: Iterable<string>): DocumentRecord {
  const named = directNames(record)
  const names = new Set([...candidates].filter(name => !named.has(name)))
  return names.size === 0 ? record : { ...record, garbage: [...record.garbage, ...[...names].map(name => ({ name }))] }
}

/**
 * What is actually written, and the names of objects that can be deleted once it is.
 *
 * What an earlier write has superseded gets its time now, when that write has certainly ended: a time from before it
 * would be too early if the writer was suspended in between.
 */
function finished (
  record: DocumentRecord,
  { tag, time }: { readonly tag: string, readonly time: StoreTime },
  base: DocumentRecord | null
): { readonly record: DocumentRecord, readonly ripe: readonly string[] } {
  const old = new Set(base?.garbage.map(({ name }) => name))
  const stamped = record.garbage.map(item =>
    item.since === undefined && old.has(item.name) ? { ...item, since: time.latest } : item
  )
  const ripe = stamped.filter(({ since }) => since !== undefined && since + GARBAGE_MS <= time.earliest)
  const isBatch = ripe.length >= GARBAGE_BATCH
  return {
    record: {
      ...record,
      garbage: isBatch ? stamped.filter(item => !ripe.includes(item)) : stamped,
      tags: [...record.tags, tag].slice(-MAX_TAGS)
    },
    ripe: isBatch ? ripe.map(({ name }) => name) : []
  }
}

/** A record as it was read; both are `null` if there is none. */
interface ReadRecord {
  readonly record: DocumentRecord | null
  readonly etag: string | null
  readonly modifiedAt?: Date | undefined
}

/** What a record is to become. */
export interface Change {
  readonly record: DocumentRecord
  /** Called when it is certain that this change was not and will not be made. */
  readonly undo?: () => void
}

/**
 * Called again when another instance has changed the record meanwhile. Returns `null` if the record is to stay as it
 * is.
 */
type Changer = (record: DocumentRecord | null) => Change | null | Promise<Change | null>

interface WriteOptions {
  /** Called before the first request: if `write` then rejects, the change may have been made, or will be. */
  readonly onSending?: () => void
  /** The document is expected to have no record: nothing is read first. */
  readonly isNew?: boolean
}

/**
 * The records of all documents, changed by compare-and-set. Nothing else makes anything visible.
 *
 * Every write has a random tag. A write that was refused, or whose answer did not arrive, has been made if its tag is
 * in the record: the SDK repeats requests, so the refusal may be the answer to a repeat of a write that was made. It
 * will never be made if the record has another ETag: every tag, and so every ETag, is unique. A record keeps the latest
 * tags only: after many other writes it cannot be told whether a write was made, and that is an error.
 */
export interface Records {
  /** Always asks the store. */
  read (fileId: string): Promise<ReadRecord>
  /** Resolves to whether the change was made. Changes of one document in this process are made one after the other. */
  write (fileId: string, changer: Changer, options?: WriteOptions): Promise<boolean>
  /** The document has been removed. */
  forget (fileId: string): void
}

interface RecordsDependencies {
  readonly store: ObjectStore
  readonly names: ObjectNames
  /** Of one request. */
  readonly requestTimeout: number
  /** Deletes objects of a document in the background. */
  readonly deleteLater: (fileId: string, names: readonly string[]) => void
}

const NO_RECORD: ReadRecord = { record: null, etag: null }
const MAX_REMEMBERED = 500
const MAX_REMEMBERED_LENGTH = 64 * 1024
const MAX_BACKOFF_MS = 500
const MAX_REPEATS = 2

export function createRecords ({ store, names, requestTimeout, deleteLater }: RecordsDependencies): Records {
  const queue = createQueue()
  /**
   * What the next conditional write of a record is based on: nothing is ever answered from it. As text, which nobody
   * can change.
   */
  const remembered = new BoundedMap<string, { readonly text: string, readonly etag: string }>(MAX_REMEMBERED)

  async function read (fileId: string): Promise<ReadRecord> {
    const found = await store.get(names.record(fileId))
    if (!found) {
      remembered.delete(fileId)
      return NO_RECORD
    }
    const { text, etag, modifiedAt } = found
    const record = parsed(text)
    remember(fileId, text, etag)
    return { record, etag, modifiedAt }
  }

  function remember (fileId: string, text: string, etag: string): void {
    if (text.length <= MAX_REMEMBERED_LENGTH) remembered.set(fileId, { text, etag })
    else remembered.delete(fileId)
  }

  async function write (
    fileId: string,
    changer: Changer,
    { onSending, isNew = false }: WriteOptions
  ): Promise<boolean> {
    const key = names.record(fileId)
    const giveUpAt = performance.now() + 2 * requestTimeout
    const isOver = () => performance.now() > giveUpAt
    const known = remembered.get(fileId)
    let base: ReadRecord = known
      ? { record: parsed(known.text), etag: known.etag }
      : isNew
        ? NO_RECORD
        : await read(fileId)
    let isRead = known === undefined && !isNew

    for (let round = 0; ; round++) {
      const change = await changer(base.record)
      if (change === null) {
        if (isRead) return false
        base = await read(fileId)
        isRead = true
        continue
      }
      const { text, tag, ripe } = serialized(change.record, base.record)
      onSending?.()
      for (let repeat = 0; ; repeat++) {
        let failure: unknown
        try {
          remember(fileId, text, await store.put(key, text, base.etag === null ? 'absent' : { etag: base.etag }))
          if (ripe.length > 0) deleteLater(fileId, ripe)
          return true
        } catch (error) {
          failure = error
          remembered.delete(fileId)
        }
        const found = await read(fileId).catch(() => { throw failure })
        if (found.record?.tags.includes(tag)) {
          if (ripe.length > 0) deleteLater(fileId, ripe)
          return true
        }
        if (found.etag !== base.etag) {
          if (found.record && !showsNextWrite(found.record, base.record) && !isCertainConflict(failure)) {
            throw isConflict(failure)
              ? new StorageError(
                'so many others have changed a record meanwhile that it does not tell whether this change was made'
              )
              : failure
          }
          change.undo?.()
          base = found
          isRead = true
          break
        }
        // Nothing has changed: the write may still arrive, and is repeated unless that is useless.
        if (
          repeat === MAX_REPEATS || isOver() || !(isConflict(failure) || (failure as Partial<StorageError>).retryable)
        ) throw failure
        await pause(repeat)
      }
      if (isOver()) throw new BusyError('other instances changed its record all the time')
      if (round === 0) continue
      await pause(round)
      base = await read(fileId) // what was read before the pause has likely been changed
    }
  }

  function serialized (
    record: DocumentRecord,
    base: DocumentRecord | null
  ): { readonly text: string, readonly tag: string, readonly ripe: readonly string[] } {
    const tag = randomUUID()
    const { ripe, ...written } = finished(record, { tag, time: store.now() }, base)
    return { text: JSON.stringify(written.record), tag, ripe }
  }

  return {
    read,
    write: async (fileId, changer, options = {}) =>
      await queue.run(fileId, async () => await write(fileId, changer, options)),
    forget: fileId => {
      remembered.delete(fileId)
    }
  }
}

/** What a change of a record that may be missing is based on. */
export function orEmpty (record: DocumentRecord | null): DocumentRecord {
  return record ?? EMPTY_RECORD
}

function parsed (text: string): DocumentRecord {
  const record = parseRecord(text)
  if (!record) {
    throw new StorageError(
      'the record of the document is damaged, or a newer version of this library has written it: nothing is changed',
      { retryable: false }
    )
  }
  return record
}

/** So that instances that change the same record get in each other's way less often. */
async function pause (round: number): Promise<void> {
  await delay(Math.random() * Math.min(MAX_BACKOFF_MS, 10 * 2 ** round))
}
