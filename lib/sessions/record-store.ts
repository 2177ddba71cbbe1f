import type { SessionEndEvent } from '../../types/sessions.js'
import type { StoredDocument } from '../../types/storage.js'
import { BusyError, UnknownRecordError } from '../errors.js'
import type { Services } from '../services.js'
import { BoundedMap } from '../util/limits.js'
import { EMPTY, type SessionRecord, isSessionRecord, liveSessions } from './record.js'

/** A record and its file at one moment: the basis of a decision. */
export interface Snapshot {
  readonly record: SessionRecord
  /** Version of the record: a change must be based on it. */
  readonly version: string | null
  /** `null` if there is no such file. */
  readonly file: StoredDocument | null
}

/** Services for sessions, saves, versions and recovery. */
export interface SessionServices extends Services {
  readonly recordStore: RecordStore
}

/** The file or its record has changed: read both again, and decide again. */
export const CHANGED = Symbol('changed')

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
  readonly cause?: Cause
}

/** Even with many instances, a change needs only a few attempts. */
const MAX_DECISIONS = 1000

/** The most recently used files are kept. */
const MAX_EDITED = 10_000

/** The records of all files. Other instances of the application read and change them at the same time. */
export type RecordStore = ReturnType<typeof createRecordStore>

/** `onChange`: called once per change, on the instance that made it. */
export function createRecordStore (
  { storage }: Pick<Services, 'storage'>,
  onChange: (fileId: string, before: SessionRecord, after: SessionRecord, cause?: Cause) => void
) {
  /** Files whose records contained live sessions when this instance last saw them. */
  const edited = new BoundedMap<string, true>(MAX_EDITED)
  return {
    readAll,
    readEdited,
    read,
    decide,
    compareAndSet,
    update,
    committed
  }

  async function read (fileId: string): Promise<Snapshot> {
    const { info: file, record } = await storage.snapshot(fileId)
    return { record: observed(fileId, record?.value), version: record?.version ?? null, file }
  }

  /**
   * Decides what to do, and again whenever the decision was `CHANGED`. `early`: a snapshot that was taken earlier.
   * `purpose`: for the message of the final `BusyError`.
   */
  async function decide<Result> (
    fileId: string, purpose: string, decision: (snapshot: Snapshot) => Promise<Result | typeof CHANGED>,
    early?: Snapshot
  ): Promise<Result> {
    for (let decisions = 0; decisions < MAX_DECISIONS; decisions++) {
      const decided = await decision(decisions === 0 && early ? early : await read(fileId))
      if (decided !== CHANGED) return decided
    }
    throw new BusyError(`it was changed ${MAX_DECISIONS} times while ${purpose}`)
  }

  /** Reads all records, one after the other, except records that this version does not know. */
  async function * readAll (): AsyncGenerator<RecordOfFile> {
    for await (const { fileId, value } of storage.state.list()) {
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

  /** Call this after `storage.commit` has changed a record. */
  function committed (fileId: string, before: SessionRecord, after: SessionRecord, cause?: Cause): void {
    noteWhetherEdited(fileId, after)
    onChange(fileId, before, after, cause)
  }

  /**
   * Stores a record if the stored one has not changed since the snapshot. Resolves to whether it was stored.
   */
  async function compareAndSet (
    fileId: string, changed: SessionRecord, { record, version }: Snapshot,
    { cause }: ChangeOptions = {}
  ): Promise<boolean> {
    assertKnown(changed)
    if (await storage.state.set(fileId, changed, version) === null) return false
    committed(fileId, record, changed, cause)
    return true
  }

  /**
   * Applies a change to the current record, and again whenever another instance has changed the record meanwhile.
   * Writes nothing if the change returns the same object. Resolves to the new record. Rejects with `BusyError`, or with
   * any error of `change`. `snapshot`: the last known record, which saves the first read.
   */
  async function update (
    fileId: string, change: (record: SessionRecord) => SessionRecord,
    { snapshot: known, ...options }: ChangeOptions & { readonly snapshot?: Snapshot } = {}
  ): Promise<SessionRecord> {
    return await decide(fileId, 'its record was being changed', async snapshot => {
      const changed = change(snapshot.record)
      return changed === snapshot.record || await compareAndSet(fileId, changed, snapshot, options) ? changed : CHANGED
    }, known)
  }
}

/** `null` is a record that a crash has left unreadable. */
function isMissing (value: unknown): value is null | undefined {
  return value === null || value === undefined
}

export function unlessUnknown (error: unknown): undefined {
  if (!(error instanceof UnknownRecordError)) throw error
}

/** Never writes a record that no instance could read. */
export function assertKnown (record: SessionRecord): void {
  if (!isSessionRecord(record)) {
    throw new TypeError(
      'The record of the document would have a field of the wrong type, such as a revision that is not a string'
    )
  }
}
