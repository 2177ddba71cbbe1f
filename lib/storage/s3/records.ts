import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { BoundedMap } from '../../bounded-map.js'
import { BusyError, StorageError } from '../../errors.js'
import { createQueue } from '../../queue.js'
import { type DocumentRecord, EMPTY_RECORD, finished, parseRecord, showsNextWrite } from './document-record.js'
import type { ObjectNames } from './names.js'
import type { ObjectStore } from './object-store.js'
import { isCertainConflict, isConflict } from './store-errors.js'

/** A record as it was read; both are `null` if there is none. */
export interface ReadRecord {
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

/** Called again when another instance has changed the record meanwhile. Returns `null` if the record is to stay as it is. */
export type Changer = (record: DocumentRecord | null) => Change | null | Promise<Change | null>

export interface WriteOptions {
  /** Called before the first request: if `write` then rejects, the change may have been made, or will be. */
  readonly onSending?: () => void
  /** The document is expected to have no record: nothing is read first. */
  readonly isNew?: boolean
}

/**
 * The records of all documents, changed by compare-and-set. Nothing else makes anything visible.
 *
 * Every write has a random tag. A write that was refused, or whose answer did not arrive, has been made if its tag is in the record:
 * the SDK repeats requests, so the refusal may be the answer to a repeat of a write that was made. It will never be made if the
 * record has another ETag: every tag, and so every ETag, is unique. A record keeps the latest tags only: after many other writes it
 * cannot be told whether a write was made, and that is an error.
 */
export interface Records {
  /** Always asks the store. */
  read (fileId: string): Promise<ReadRecord>
  /** Resolves to whether the change was made. Changes of one document in this process are made one after the other. */
  write (fileId: string, changer: Changer, options?: WriteOptions): Promise<boolean>
  /** The document has been removed. */
  forget (fileId: string): void
}

export interface RecordsDependencies {
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
  /** What the next conditional write of a record is based on: nothing is ever answered from it. As text, which nobody can change. */
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

  async function write (fileId: string, changer: Changer, { onSending, isNew = false }: WriteOptions): Promise<boolean> {
    const key = names.record(fileId)
    const giveUpAt = performance.now() + 2 * requestTimeout
    const isOver = () => performance.now() > giveUpAt
    const known = remembered.get(fileId)
    let base: ReadRecord = known ? { record: parsed(known.text), etag: known.etag } : isNew ? NO_RECORD : await read(fileId)
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
          if (found.record && !showsNextWrite(found.record, base.record) && !isCertainConflict(failure)) throw isConflict(failure) ? new StorageError('so many others have changed a record meanwhile that it does not tell whether this change was made') : failure
          change.undo?.()
          base = found
          isRead = true
          break
        }
        // Nothing has changed: the write may still arrive, and is repeated unless that is useless.
        if (repeat === MAX_REPEATS || isOver() || !(isConflict(failure) || (failure as Partial<StorageError>).retryable)) throw failure
        await pause(repeat)
      }
      if (isOver()) throw new BusyError('other instances changed its record all the time')
      if (round === 0) continue
      await pause(round)
      base = await read(fileId) // what was read before the pause has likely been changed
    }
  }

  function serialized (record: DocumentRecord, base: DocumentRecord | null): { readonly text: string, readonly tag: string, readonly ripe: readonly string[] } {
    const tag = randomUUID()
    const { ripe, ...written } = finished(record, { tag, time: store.now() }, base)
    return { text: JSON.stringify(written.record), tag, ripe }
  }

  return {
    read,
    write: async (fileId, changer, options = {}) => await queue.run(fileId, async () => await write(fileId, changer, options)),
    forget: fileId => { remembered.delete(fileId) }
  }
}

/** What a change of a record that may be missing is based on. */
export function orEmpty (record: DocumentRecord | null): DocumentRecord {
  return record ?? EMPTY_RECORD
}

function parsed (text: string): DocumentRecord {
  const record = parseRecord(text)
  if (!record) throw new StorageError('the record of the document is damaged, or a newer version of this library has written it: nothing is changed', { retryable: false })
  return record
}

/** So that instances that change the same record get in each other's way less often. */
async function pause (round: number): Promise<void> {
  await delay(Math.random() * Math.min(MAX_BACKOFF_MS, 10 * 2 ** round))
}
