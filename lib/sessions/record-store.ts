import type { SessionEndEvent } from '../../types/sessions.js'
import type { FileInfo, StateRecord, StateStore, Storage } from '../../types/storage.js'
import { BusyError, UnknownRecordError } from '../errors.js'
import type { Services } from '../services.js'
import { BoundedMap } from '../util/bounded-map.js'
import { EMPTY, type SessionRecord, isSessionRecord, liveSessions } from './record.js'

/** A record as read, with the version that a change must be based on. */
export interface RecordSnapshot {
  readonly record: SessionRecord
  readonly version: string | null
  /** The file at the same moment, `null` if there is none; `undefined` if the storage does not return both at once. */
  readonly info?: FileInfo | null
}

/** Why this instance changed a record, if the reason concerns one session. */
export interface Cause {
  readonly key: string
  /** User ids, as reported by the document server. */
  readonly users?: readonly string[] | undefined
  /** Why the session ends, if it does. */
  readonly reason?: SessionEndEvent['reason']
}

export interface RecordOfFile {
  readonly fileId: string
  readonly record: SessionRecord
}

interface ChangeOptions {
  readonly durable?: boolean
  readonly cause?: Cause
}

/** For changes that may be lost in a power failure: asking the document server or comparing bytes makes up for them. */
export const NOT_DURABLE = { durable: false } as const

/** Even with many instances, a change needs only a few attempts. */
const MAX_ATTEMPTS = 1000

/** The most recently used files are kept. */
const MAX_EDITED = 10_000

/** The records of all files. Other instances of the application read and change them at the same time. */
export type RecordStore = ReturnType<typeof createRecordStore>

/** `onChange`: called once per change, on the instance that made it. */
export function createRecordStore (
  { state, storage }: Services,
  onChange: (fileId: string, before: SessionRecord, after: SessionRecord, cause?: Cause) => void
) {
  const { list } = state
  /** Files whose records contained live sessions when this instance last saw them. */
  const edited = new BoundedMap<string, true>(MAX_EDITED)
  return {
    /**
     * Reads all records, one after the other, without those that this version does not know; `undefined` if the
     * storage cannot list them.
     */
    readAll: list && (() => readAll(list)),
    readEdited,
    read,
    compareAndSet,
    update,
    committed
  }

  async function read (fileId: string): Promise<RecordSnapshot> {
    if (!storage.snapshot) return snapshotOf(fileId, await state.get(fileId))
    const { info, record } = await storage.snapshot(fileId)
    return { ...snapshotOf(fileId, record), info }
  }

  function snapshotOf (fileId: string, stored: StateRecord | null): RecordSnapshot {
    return { record: observed(fileId, stored?.value), version: stored?.version ?? null }
  }

  async function * readAll (list: NonNullable<StateStore['list']>): AsyncGenerator<RecordOfFile> {
    for await (const { fileId, value } of list()) {
      if (isMissing(value) || isSessionRecord(value)) yield { fileId, record: observed(fileId, value) }
    }
  }

  function observed (fileId: string, value: unknown): SessionRecord {
    const record = isMissing(value) ? EMPTY : value
    if (!isSessionRecord(record)) throw new UnknownRecordError('record', fileId)
    noteWhetherEdited(fileId, record)
    return record
  }

  /** Reads the records of the files that this instance knows to be edited. */
  async function * readEdited (): AsyncGenerator<RecordOfFile> {
    for (const fileId of [...edited.keys()]) {
      const snapshot = await read(fileId).catch(unlessUnknown)
      if (snapshot) yield { fileId, record: snapshot.record }
    }
  }

  function noteWhetherEdited (fileId: string, record: SessionRecord): void {
    if (liveSessions(record).length > 0) edited.set(fileId, true)
    else edited.delete(fileId)
  }

  /** Call this after `Storage.commit` has changed a record. */
  function committed (fileId: string, before: SessionRecord, after: SessionRecord, cause?: Cause): void {
    noteWhetherEdited(fileId, after)
    onChange(fileId, before, after, cause)
  }

  /**
   * Stores a record if the stored one has not changed since the snapshot. Resolves to the new snapshot, or to `null` if
   * nothing was stored.
   */
  async function compareAndSet (
    fileId: string, changed: SessionRecord, { record, version }: RecordSnapshot,
    { durable = true, cause }: ChangeOptions = {}
  ): Promise<RecordSnapshot | null> {
    assertKnown(changed)
    const newVersion = await state.set(fileId, changed, version, durable ? {} : { durable })
    if (newVersion === null) return null
    committed(fileId, record, changed, cause)
    return { record: changed, version: newVersion }
  }

  /**
   * Applies a change to the current record, and again whenever another instance has changed it meanwhile. Nothing is
   * written if the change returns the same object. Resolves to the new record. Rejects with `BusyError`, or with
   * whatever `change` throws. `snapshot`: the last known record, which saves the first read.
   */
  async function update (
    fileId: string, change: (record: SessionRecord) => SessionRecord,
    { snapshot: known, ...options }: ChangeOptions & { readonly snapshot?: RecordSnapshot } = {}
  ): Promise<SessionRecord> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const snapshot = attempt === 1 && known ? known : await read(fileId)
      const changed = change(snapshot.record)
      if (changed === snapshot.record || await compareAndSet(fileId, changed, snapshot, options) !== null) {
        return changed
      }
    }
    throw new BusyError(`others changed its record ${MAX_ATTEMPTS} times in a row`)
  }
}

/** `null` is a record of which a crash has left nothing that can be read. */
function isMissing (value: unknown): value is null | undefined {
  return value === null || value === undefined
}

export function unlessUnknown (error: unknown): undefined {
  if (!(error instanceof UnknownRecordError)) throw error
}

/** A record that no instance could read any more must not be written. */
export function assertKnown (record: SessionRecord): void {
  if (!isSessionRecord(record)) {
    throw new TypeError(
      'The record of the document would have a field of the wrong type, such as a revision that is no string'
    )
  }
}

/** The file at the moment of a snapshot or later; `null` if it does not exist. */
export async function fileAt (
  { info }: RecordSnapshot, fileId: string, { stat }: Pick<Storage, 'stat'>
): Promise<FileInfo | null> {
  return info === undefined ? await stat(fileId) : info
}
