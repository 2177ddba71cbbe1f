import type { FileInfo, StagedContent } from '../../types/storage.js'
import type { Locks } from '../sessions/locks.js'
import type { FileRecord, Publishing } from '../sessions/record.js'
import { type Cause, fileAt, type RecordSnapshot, type RecordStore } from '../sessions/record-store.js'
import type { StagedReplaceOptions, StagingStorage } from './staging.js'

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
  readonly storage: Pick<StagingStorage, 'stat' | 'replace' | 'commit'>
  readonly locks: Pick<Locks, 'lockOf'>
  readonly recordStore: Pick<RecordStore, 'read' | 'committed'>
}

export function createReplaceNoted ({ storage, locks, recordStore }: Dependencies): ReplaceNoted {
  const { replace, commit } = storage
  return commit ? replaceInOneWrite(commit, storage, recordStore) : replaceWithLock(replace, locks)
}

/** What a commit stores if it succeeds. */
interface Attempt {
  readonly info: FileInfo
  readonly record: FileRecord
}

/** For a storage that stores content and record in one write. */
function replaceInOneWrite (commit: NonNullable<StagingStorage['commit']>, storage: Pick<StagingStorage, 'stat'>, recordStore: Dependencies['recordStore']): ReplaceNoted {
  return async function replaceNoted (fileId, staged, snapshot, options, note) {
    /** By revision. */
    const attempts = new Map<string, Attempt>()
    let isReported = false
    try {
      const committed = await commit(fileId, staged, {
        ...options,
        ifRecordVersion: snapshot.version,
        record (info) {
          const record = note ? note.change(snapshot.record, info) : snapshot.record
          attempts.set(info.revision, { info, record })
          return record
        },
        // The caller assumed that nothing was stored, but the session may have ended.
        onLate: ({ info }) => { report(attempts.get(info.revision)!) }
      })
      if (committed === null) return null
      const { info, record } = report(attempts.get(committed.info.revision)!)
      return { info, snapshot: { record, version: committed.recordVersion } }
    } catch (error) {
      const stored = await storedAfterAll().catch(() => undefined)
      if (!stored) throw error
      return { info: report(stored).info } // others may have changed the record since
    }

    function report (attempt: Attempt): Attempt {
      if (isReported) return attempt
      isReported = true
      recordStore.committed(fileId, snapshot.record, attempt.record, note?.cause)
      return attempt
    }

    /** The answer of the storage may have been lost. */
    async function storedAfterAll (): Promise<Attempt | undefined> {
      const found = await recordStore.read(fileId)
      const revisions = [(await fileAt(found, fileId, storage))?.revision, ...found.record.saves.map(({ revision }) => revision)]
      return revisions.map(revision => attempts.get(revision ?? '')).find(attempt => attempt !== undefined)
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
