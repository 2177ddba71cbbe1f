import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { FileInfo } from '../../../types/storage.js'
import { BusyError, StorageError, UnknownRecordError } from '../../errors.js'
import { isSafeFileId } from '../../security/names.js'
import { BoundedMap } from '../../util/bounded-map.js'
import { createQueue } from '../../util/queue.js'
import { parseJson } from '../../util/text.js'
import { directBlobs, EMPTY_LOG, type VersionEntry } from '../version-log.js'
import { isDocumentRecord } from './document-record.compiled.js'
import type { DocumentRecord, StoredContent } from './document-record.schema.js'
import type { S3Services } from './services.js'
import { isCertainConflict, isConflict } from './store-errors.js'
import type { StoreTime } from './store-time.js'

export type { DocumentRecord, StoredContent } from './document-record.schema.js'
/** The record of a file that exists. */
export type FileRecord = DocumentRecord & { readonly content: StoredContent }

const MAX_TAGS = 16

/**
 * Whether the record would still contain the tag of a successful write based on `base`. That tag would follow the tags
 * of `base`.
 */
function showsNextWrite ({ tags }: DocumentRecord, base: DocumentRecord | null): boolean {
  const last = base?.tags.at(-1)
  return tags.length < MAX_TAGS || (last !== undefined && tags.includes(last))
}

/**
 * Whether a record is `base` after further writes, and not the record of a document created since under the same
 * fileId.
 */
export function isLaterStateOf ({ tags }: DocumentRecord, base: DocumentRecord): boolean {
  return tags.some(tag => base.tags.includes(tag))
}

/** Superseded objects stay for this long, because somebody may be reading them or have a URL for them. */
export const GARBAGE_MS = 15 * 60_000
const GARBAGE_BATCH = 8

export function orEmpty (record: DocumentRecord | null): DocumentRecord {
  return record ?? { format: 2, content: null, state: null, versions: EMPTY_LOG, garbage: [], tags: [] }
}

/**
 * Returns `undefined` if the text is damaged. Throws `UnknownRecordError` if it was written by a newer version of this
 * library.
 */
export function parseRecord (fileId: string, text: string): DocumentRecord | undefined {
  const value = parseJson(text)
  if (value === undefined) return undefined
  if (!isDocumentRecord(value)) throw new UnknownRecordError('record', fileId)
  return value
}

export function infoOf (fileId: string, { extension, size, modifiedAt, revision }: StoredContent): FileInfo {
  return { fileId, extension, size, modifiedAt: new Date(modifiedAt), revision }
}

export function withContent (record: DocumentRecord, content: StoredContent): DocumentRecord {
  return withGarbage({ ...record, content }, record.content ? [record.content.name] : [])
}

/** Fields of a version that the record's content does not provide. */
export type Kept = Pick<VersionEntry, 'changes' | 'details' | 'session' | 'priority' | 'keptAt'>

/** The present content as the newest version. If the newest version already is this content, its number is kept. */
export function presentVersion ({ content, versions }: FileRecord, { keptAt, ...kept }: Kept): VersionEntry {
  const { name, size, extension, modifiedAt, revision } = content
  const newest = versions.entries.at(-1)
  const { version, keptAt: since } = newest?.revision === revision ? newest : { version: versions.last + 1, keptAt }
  return { version, revision, extension, modifiedAt, keptAt: since, content: { name, size }, ...kept }
}

/** The objects that the record itself names, except as garbage. */
export function directNames ({ content, versions }: DocumentRecord): Set<string> {
  return new Set([...content ? [content.name] : [], ...directBlobs(versions).keys()])
}

/**
 * Adds the objects that the record no longer names. Objects named by segments need no check: they are superseded only
 * when their versions are removed.
 */
export function withGarbage (record: DocumentRecord, candidates: Iterable<string>): DocumentRecord {
  const named = directNames(record)
  const names = new Set([...candidates].filter(name => !named.has(name)))
  return names.size === 0 ? record : { ...record, garbage: [...record.garbage, ...[...names].map(name => ({ name }))] }
}

/**
 * The text of the record to write, and the names of objects that can be deleted once it is written.
 *
 * Objects superseded by an earlier write get their time now, when that write has certainly ended. A time from before
 * that write would be too early if the writer was suspended in between.
 */
function finished (
  record: DocumentRecord, { tag, time }: { readonly tag: string, readonly time: StoreTime }, base: DocumentRecord | null
) {
  const old = new Set(base?.garbage.map(({ name }) => name))
  const stamped = record.garbage.map(item =>
    item.since === undefined && old.has(item.name) ? { ...item, since: time.latest } : item
  )
  const found = stamped.filter(({ since }) => since !== undefined && since + GARBAGE_MS <= time.earliest)
  const ripe = found.length >= GARBAGE_BATCH ? found : []
  const written: DocumentRecord = {
    ...record,
    garbage: stamped.filter(item => !ripe.includes(item)),
    tags: [...record.tags, tag].slice(-MAX_TAGS)
  }
  return { text: JSON.stringify(written), ripe: ripe.map(({ name }) => name) }
}

/** The new state of a record. */
export interface Change {
  readonly record: DocumentRecord
  /** Called once it is certain that this change was not made and never will be. */
  readonly undo?: () => void
}

/** Called again if another instance has changed the record meanwhile. Returns `null` to leave the record as it is. */
type Changer = (record: DocumentRecord | null) => Change | null | Promise<Change | null>

interface WriteOptions {
  /**
   * Called before the first request. If `write` rejects afterwards, the change may have been made or may still be made.
   */
  readonly onSending?: () => void
  /** Expects the document to have no record, so nothing is read first. */
  readonly isNew?: boolean
}

export type Records = ReturnType<typeof createRecords>
type ReadRecord = Awaited<ReturnType<Records['read']>>

const NO_RECORD = { record: null, etag: null, modifiedAt: undefined }
const MAX_REMEMBERED = 500
const MAX_REMEMBERED_LENGTH = 64 * 1024
const MAX_BACKOFF_MS = 500
const MAX_REPEATS = 2

/**
 * The records of all documents, changed by compare-and-set. Only these changes make anything visible.
 *
 * Every write has a random tag. A write that was refused, or whose answer did not arrive, has succeeded if its tag is
 * in the record: the SDK repeats requests, so the refusal may be the answer to a repeat of a successful write. The
 * write can no longer succeed if the record has another ETag: every tag, and so every ETag, is unique. A record keeps
 * only the latest tags: after many other writes it is unknown whether a write succeeded, which is an error.
 */
export function createRecords ({ store, names, requestTimeout, ready, deleteLater }: S3Services) {
  const queue = createQueue()
  /**
   * Records that the next conditional writes can be based on. Reads are never answered from it. Kept as text, which
   * nobody can change.
   */
  const remembered = new BoundedMap<string, { readonly text: string, readonly etag: string }>(MAX_REMEMBERED)

  async function read (fileId: string) {
    const found = await store.get(names.record(fileId))
    if (!found) {
      remembered.delete(fileId)
      return NO_RECORD
    }
    const { text, etag, modifiedAt } = found
    const record = parsed(fileId, text)
    remember(fileId, text, etag)
    return { record, etag, modifiedAt }
  }

  function remember (fileId: string, text: string, etag: string): void {
    if (text.length <= MAX_REMEMBERED_LENGTH) remembered.set(fileId, { text, etag })
    else remembered.delete(fileId)
  }

  function firstBase (fileId: string, isNew: boolean): ReadRecord | undefined {
    const known = remembered.get(fileId)
    if (known) return { record: parsed(fileId, known.text), etag: known.etag, modifiedAt: undefined }
    return isNew ? NO_RECORD : undefined
  }

  async function write (fileId: string, changer: Changer, { onSending, isNew = false }: WriteOptions) {
    const giveUpAt = performance.now() + 2 * requestTimeout
    const isOver = () => performance.now() > giveUpAt
    const assumed = firstBase(fileId, isNew)
    let base = assumed ?? await read(fileId)
    let isRead = assumed === undefined

    for (let round = 0; ; round++) {
      const change = await changer(base.record)
      if (change === null) {
        if (isRead) return false
        base = await read(fileId)
        isRead = true
        continue
      }
      const tag = randomUUID()
      const { text, ripe } = finished(change.record, { tag, time: store.now() }, base.record)
      onSending?.()
      for (let repeat = 0; ; repeat++) {
        const failure = await put(fileId, text, base.etag).then(() => undefined, (error: unknown) => ({ error }))
        const found = failure && await read(fileId).catch(error => {
          throw error instanceof UnknownRecordError ? error : failure.error
        })
        if (!found || found.record?.tags.includes(tag)) {
          deleteLater(fileId, ripe)
          return true
        }
        const { error } = failure
        if (found.etag !== base.etag) {
          if (found.record && !showsNextWrite(found.record, base.record) && !isCertainConflict(error)) {
            if (!isConflict(error)) throw error
            throw new StorageError(
              'the record was changed so often meanwhile that it is unknown whether this change was made'
            )
          }
          change.undo?.()
          base = found
          isRead = true
          break
        }
        // Nothing has changed. The write may still arrive, and is repeated unless that is useless.
        const isUseless = !isConflict(error) && !(error as Partial<StorageError>).retryable
        if (repeat === MAX_REPEATS || isOver() || isUseless) throw error
        await pause(repeat)
      }
      if (isOver()) throw new BusyError('other instances changed its record all the time')
      if (round === 0) continue
      await pause(round)
      base = await read(fileId) // the record has probably changed during the pause
    }
  }

  async function put (fileId: string, text: string, etag: string | null): Promise<void> {
    try {
      remember(fileId, text, await store.put(names.record(fileId), text, etag === null ? 'absent' : { etag }))
    } catch (error) {
      remembered.delete(fileId)
      throw error
    }
  }

  return {
    /** Always reads from the store. */
    read,

    /** The record of a document; `null` if there is none, or the fileId is malformed. */
    async recordOf (fileId: string): Promise<DocumentRecord | null> {
      if (!isSafeFileId(fileId)) return null
      await ready()
      return (await read(fileId)).record
    },

    /**
     * Resolves to whether the change was made; for a malformed fileId, to `false`. Changes of one document in this
     * process run one after the other.
     */
    async write (fileId: string, changer: Changer, options: WriteOptions = {}): Promise<boolean> {
      if (!isSafeFileId(fileId)) return false
      await ready()
      return await queue.run(fileId, async () => await write(fileId, changer, options))
    },

    /** Call this after the document has been removed. */
    forget (fileId: string): void {
      remembered.delete(fileId)
    }
  }
}

function parsed (fileId: string, text: string): DocumentRecord {
  const record = parseRecord(fileId, text)
  if (record) return record
  throw new StorageError('the record of the document is damaged: nothing is changed', { retryable: false })
}

/** Pauses at random, so that instances that change the same record collide less often. */
async function pause (round: number): Promise<void> {
  await delay(Math.random() * Math.min(MAX_BACKOFF_MS, 10 * 2 ** round))
}
