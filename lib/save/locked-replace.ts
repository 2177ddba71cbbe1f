import type { FileInfo, StagedContent } from '../../types/storage.js'
import type { FileLock, Locks } from '../sessions/locks.js'
import type { Publishing } from '../sessions/record.js'
import type { RecordSnapshot } from '../sessions/record-store.js'
import type { StagedReplaceOptions, StagingStorage } from './staging.js'

interface Dependencies {
  readonly storage: Pick<StagingStorage, 'replace'>
  readonly locks: Pick<Locks, 'lockOf'>
}

interface LockedReplacement {
  readonly info: FileInfo
  /** The caller must release it. */
  readonly lock: FileLock
}

/**
 * Replaces a file while holding its lock, if its record is still the one of the snapshot. Resolves to `null` when anything has
 * changed. `describe` makes the note for the lock; it is called if the storage knows the new revision before it publishes.
 */
export type ReplaceLocked = (
  fileId: string,
  staged: StagedContent,
  snapshot: RecordSnapshot,
  options: Omit<StagedReplaceOptions, 'beforePublish'>,
  describe?: (info: FileInfo, ticket?: string) => Publishing
) => Promise<LockedReplacement | null>

export function createReplaceLocked ({ storage, locks }: Dependencies): ReplaceLocked {
  return async function replaceLocked (fileId, staged, snapshot, options, describe) {
    const lock = locks.lockOf(fileId, snapshot)
    try {
      const info = await storage.replace(fileId, staged, {
        ...options,
        async beforePublish (info, ticket) {
          if (!await lock.acquire(info && describe?.(info, ticket))) throw new Error('The record of the document has changed')
        }
      })
      if (info !== null) return { info, lock }
      await lock.release()
    } catch (error) {
      await lock.abandon().catch(() => {})
      if (!lock.isRecordChanged) throw error
    }
    return null
  }
}
