import type { StateStore } from '../../types/storage.js'
import { isSafeFileId } from '../security/file-id.js'

/** Records in the memory of this process. */
export function memoryState (): StateStore & { forget (fileId: string): void } {
  const records = new Map<string, { readonly json: string, readonly version: string }>()
  let versions = 0

  return {
    async get (fileId) {
      const record = records.get(fileId)
      return record === undefined ? null : { value: JSON.parse(record.json), version: record.version }
    },
    async set (fileId, value, version) {
      if (!isSafeFileId(fileId) || (records.get(fileId)?.version ?? null) !== version) return null
      const next = String(++versions)
      records.set(fileId, { json: JSON.stringify(value), version: next })
      return next
    },
    forget (fileId) {
      records.delete(fileId)
    }
  }
}
