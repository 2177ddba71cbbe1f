import type { FileInfo, StagedContent } from '../../types/storage.js'
import type { Locks } from '../sessions/locks.js'
import type { FileRecord, Publishing } from '../sessions/record.js'
import type { Cause, RecordSnapshot, RecordStore } from '../sessions/record-store.js'
import type { StagedCommitOptions, StagedReplaceOptions, StagingStorage } from './staging.js'

/** What is noted in the record of a file about its new content. */
export interface Note {
  /** Makes the new record. */
  readonly change: (record: FileRecord, info: FileInfo) => FileRecord
  /** What the lock contains until that is noted. Called if the storage knows the new revision before it publishes. */
  readonly publishing: (info: FileInfo) => Publishing
  readonly cause?: Cause
}

export interface Replaced {
  readonly info: FileInfo
  /** The record as it was noted, where that is known. */
  readonly snapshot?: RecordSnapshot
}

/**
 * Replaces a file, if its record is still the one of the snapshot, and notes that in the record. Resolves to `null` when anything
 * has changed. Without a note the record stays as it is.
 */
export type ReplaceNoted = (
  fileId: string,
  staged: StagedContent,
  snapshot: RecordSnapshot,
  options: Omit<StagedReplaceOptions, 'beforePublish'>,
  note?: Note
) => Promise<Replaced | null>

interface Dependencies {
  readonly storage: Pick<StagingStorage, 'replace' | 'commit'>
  readonly locks: Pick<Locks, 'lockOf'>
  readonly recordStore: Pick<RecordStore, 'read' | 'committed'>
}

export function createReplaceNoted ({ storage: { replace, commit }, locks, recordStore }: Dependencies): ReplaceNoted {
  return commit ? replaceInOneWrite(commit, recordStore) : replaceWithLock(replace, locks)
}

/** For a storage that stores content and record in one write. */
function replaceInOneWrite (commit: NonNullable<StagingStorage['commit']>, recordStore: Dependencies['recordStore']): ReplaceNoted {
  return async function replaceNoted (fileId, staged, snapshot, options, note) {
    const attempts = new Map<string, FileRecord>()
    const record: StagedCommitOptions['record'] = info => {
      const changed = note ? note.change(snapshot.record, info) : snapshot.record
      attempts.set(info.revision, changed)
      return changed
    }
    const outcome = await commit(fileId, staged, { ...options, ifRecordVersion: snapshot.version, record }).catch(async error => {
      const committed = await committedAfterAll()
      if (!committed) throw error
      return committed
    })
    if (outcome === null) return null
    const { info, recordVersion } = outcome
    const changed = attempts.get(info.revision)!
    recordStore.committed(fileId, snapshot.record, changed, note?.cause)
    return { info, snapshot: { record: changed, version: recordVersion } }

    /** The answer of the storage may have been lost. */
    async function committedAfterAll () {
      const { info, version } = await recordStore.read(fileId).catch(() => ({ info: null, version: null }))
      return info && version !== null && attempts.has(info.revision) ? { info, recordVersion: version } : undefined
    }
  }
}

/** For a storage that stores them one after the other: meanwhile nobody else may publish. */
function replaceWithLock (replace: StagingStorage['replace'], locks: Pick<Locks, 'lockOf'>): ReplaceNoted {
  return async function replaceNoted (fileId, staged, snapshot, options, note) {
    const lock = locks.lockOf(fileId, snapshot)
    let info: FileInfo | null
    try {
      info = await replace(fileId, staged, {
        ...options,
        async beforePublish (info, ticket) {
          const publishing = info && note && { ...note.publishing(info), ...(ticket !== undefined && { ticket }) }
          if (!await lock.acquire(publishing)) throw new Error('The record of the document has changed')
        }
      })
      if (info === null) await lock.release()
    } catch (error) {
      await lock.abandon().catch(() => {})
      if (!lock.isRecordChanged) throw error
      return null
    }
    if (info === null) return null
    const stored = info
    const released = note ? lock.releaseWith(record => note.change(record, stored), note.cause) : lock.release()
    await released.catch(error => {
      // The content is stored. A note in the lock and the stored revision prove it, too.
      if (note && !lock.isPublishingNoted) throw error
    })
    return { info }
  }
}
