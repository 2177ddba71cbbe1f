import type { StoredDocument } from '../../types/storage.js'
import type { SessionRecord } from '../sessions/record.js'
import { assertKnown, type Cause, type SessionServices, type Snapshot } from '../sessions/record-store.js'
import type { StagedContent } from '../store/contract.js'
import { keepOptions, limitsOf, type NewVersion } from './retention.js'

/** New content of a file. */
export interface NewContent {
  /** The file's format from now on; absent if it stays the same. */
  readonly fileType?: string
  /** Describes the content, for the history of versions. */
  readonly version: () => NewVersion
}

/** Writes a note about new content into the file's record. */
export interface Note {
  readonly change: (record: SessionRecord, info: StoredDocument) => SessionRecord
  readonly cause?: Cause
}

/**
 * Replaces a file if neither the file nor its record has changed since the snapshot, notes the new content in the
 * record, and keeps the old content as a version: all of it in one write. Resolves to `null` if anything has changed.
 * Without `note`, the record stays as it is.
 */
export type CommitSave = ReturnType<typeof createCommitSave>

export function createCommitSave ({ storage, recordStore, retention, settings: { clock } }: SessionServices) {
  return async function commitSave (
    fileId: string, staged: StagedContent, snapshot: Snapshot, { version: made, ...options }: NewContent, note?: Note
  ): Promise<StoredDocument | null> {
    const { record: before, version, file } = snapshot
    if (file === null) return null
    const ifRevision = file.revision
    /** The file and record that each attempt would store, by revision. */
    const attempts = new Map<string, { readonly info: StoredDocument, readonly record: SessionRecord }>()
    let isReported = false
    try {
      const committed = await storage.commit(fileId, staged, {
        ...options,
        ifRevision,
        ifRecordVersion: version,
        record (info) {
          const record = note ? note.change(before, info) : before
          assertKnown(record)
          attempts.set(info.revision, { info, record })
          return record
        },
        ...(retention && {
          keep: ({ revision }, newest) => keepOptions(clock.now(), ifRevision, newest, made(), revision),
          prune: limitsOf(retention(), clock.now())
        }),
        // The caller assumed that nothing was stored, but the late write may have ended the session.
        onLate: ({ info }) => { report(info.revision) }
      })
      return committed && report(committed.info.revision)!
    } catch (error) {
      const stored = await storedAfterAll().catch(() => undefined)
      if (!stored) throw error
      return stored
    }

    /**
     * Resolves to the stored file if the write succeeded but its answer was lost. Others may have changed the record
     * since then.
     */
    async function storedAfterAll (): Promise<StoredDocument | undefined> {
      const { record: { saves }, file } = await recordStore.read(fileId)
      const revisions = [file?.revision, ...saves.map(({ revision }) => revision)]
      return report(revisions.find(revision => attempts.has(revision ?? '')))
    }

    function report (revision: string | undefined): StoredDocument | undefined {
      const { info, record } = attempts.get(revision ?? '') ?? {}
      if (record && !isReported) recordStore.committed(fileId, before, record, note?.cause)
      isReported ||= record !== undefined
      return info
    }
  }
}
