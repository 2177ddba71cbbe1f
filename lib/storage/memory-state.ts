import type { StateStore } from '../../types/storage.js'
import { isSafeFileId } from '../security/file-id.js'

interface Kept {
  readonly json: string
  readonly version: string
}

export interface MemoryStateOptions {
  /** How many records are kept: those that were asked for last. Default: all. */
  readonly most?: number
}

/** Records in the memory of this process. */
export function memoryState ({ most = Infinity }: MemoryStateOptions = {}): StateStore & { forget (fileId: string): void } {
  const records = new Map<string, Kept>()
  let versions = 0

  return {
    async get (fileId) {
      const record = records.get(fileId)
      if (record === undefined) return null
      keep(fileId, record)
      return { value: JSON.parse(record.json), version: record.version }
    },
    async set (fileId, value, version) {
      if (!isSafeFileId(fileId) || (records.get(fileId)?.version ?? null) !== version) return null
      const next = String(++versions)
      keep(fileId, { json: JSON.stringify(value), version: next })
      return next
    },
    forget (fileId) {
      records.delete(fileId)
    }
  }

  function keep (fileId: string, record: Kept): void {
    records.delete(fileId)
    records.set(fileId, record)
    if (records.size > most) records.delete(records.keys().next().value!)
  }
}
