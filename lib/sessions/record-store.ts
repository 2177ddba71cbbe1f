import type { StateStore } from '../../types/storage.js'
import { BusyError } from '../errors.js'
import { EMPTY, type FileRecord, isFileRecord } from './record.js'

/** A record as it was read, with the version that a change must be based on. */
export interface RecordSnapshot {
  readonly record: FileRecord
  readonly version: string | null
}

/** The records of all files. Other instances of the application read and change them at the same time. */
export interface RecordStore {
  read (fileId: string): Promise<RecordSnapshot>
  /** Stores a record if it is still the one of the snapshot. Resolves to whether it was stored. */
  compareAndSet (fileId: string, record: FileRecord, snapshot: RecordSnapshot, options?: { readonly durable: boolean }): Promise<boolean>
  /**
   * Applies a change to the current record, again whenever another instance changed it meanwhile. Nothing is written when the
   * change returns the same object. Resolves to the new record. Rejects with `BusyError`, or with what `change` throws.
   */
  update (fileId: string, change: (record: FileRecord) => FileRecord, options?: { readonly durable: boolean }): Promise<FileRecord>
}

/** For changes that may be lost in a power failure: then the document server is asked, or bytes are compared. */
export const NOT_DURABLE = { durable: false } as const

/** Even with many instances a change needs only a few. */
const MAX_ATTEMPTS = 1000

export function createRecordStore (state: StateStore): RecordStore {
  async function read (fileId: string): Promise<RecordSnapshot> {
    const { value, version = null } = await state.get(fileId) ?? {}
    // Anything else was put there by another program and is overwritten.
    return { record: isFileRecord(value) ? value : EMPTY, version }
  }

  return {
    read,
    compareAndSet: async (fileId, record, { version }, options) => await state.set(fileId, record, version, options) !== null,
    async update (fileId, change, options) {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const { record, version } = await read(fileId)
        const changed = change(record)
        if (changed === record || await state.set(fileId, changed, version, options) !== null) return changed
      }
      throw new BusyError(`others changed its record ${MAX_ATTEMPTS} times in a row`)
    }
  }
}
