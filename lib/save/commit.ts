import { Readable } from 'node:stream'
import type { Content, FileInfo, ReplaceOptions, StagedContent, Storage } from '../../types/storage.js'
import { CHANGED, type Locks, type SessionServices } from '../sessions/locks.js'
import type { SessionRecord, Publishing } from '../sessions/record.js'
import { assertKnown, type Cause, fileAt, type RecordSnapshot } from '../sessions/record-store.js'
import { assertReplaceOptions } from '../storage/call-options.js'
import { spool, type StagedReplaceOptions, type TimedStorage } from '../storage/timed-storage.js'
import { acceptContent } from '../util/streams.js'

/** How new content of a file is noted in its record. */
interface Note {
  readonly change: (record: SessionRecord, info: FileInfo) => SessionRecord
  /**
   * What the lock contains until the content is noted. Called if the storage knows the new revision before it
   * publishes.
   */
  readonly publishing: (info: FileInfo) => Publishing
  readonly cause?: Cause
}

/**
 * Replaces a file if its record has not changed since the snapshot, and notes the new content in the record. Resolves
 * to `null` if anything has changed. Without `note`, the record stays as it is.
 */
export type CommitSave = (
  fileId: string,
  staged: StagedContent,
  snapshot: RecordSnapshot,
  options: Omit<StagedReplaceOptions, 'beforePublish'>,
  note?: Note
) => Promise<FileInfo | null>

export function createCommitSave (services: SessionServices): CommitSave {
  const { commit } = services.storage
  return commit ? replaceInOneWrite(commit, services) : replaceWithLock(services)
}

/** For a storage that stores content and record in one write. */
function replaceInOneWrite (
  commit: NonNullable<TimedStorage['commit']>, { storage, recordStore }: SessionServices
): CommitSave {
  return async function commitSave (fileId, staged, snapshot, options, note) {
    /** The file and record that each attempt would store, by revision. */
    const attempts = new Map<string, { readonly info: FileInfo, readonly record: SessionRecord }>()
    let isReported = false
    try {
      const committed = await commit(fileId, staged, {
        ...options,
        ifRecordVersion: snapshot.version,
        record (info) {
          const record = note ? note.change(snapshot.record, info) : snapshot.record
          assertKnown(record)
          attempts.set(info.revision, { info, record })
          return record
        },
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
     * Resolves to the stored file if the write succeeded although its answer was lost. Others may have changed the
     * record since.
     */
    async function storedAfterAll (): Promise<FileInfo | undefined> {
      const found = await recordStore.read(fileId)
      const revisions = [
        (await fileAt(found, fileId, storage))?.revision,
        ...found.record.saves.map(({ revision }) => revision)
      ]
      return report(revisions.find(revision => attempts.has(revision ?? '')))
    }

    function report (revision: string | undefined): FileInfo | undefined {
      const { info, record } = attempts.get(revision ?? '') ?? {}
      if (record && !isReported) recordStore.committed(fileId, snapshot.record, record, note?.cause)
      isReported ||= record !== undefined
      return info
    }
  }
}

/** For a storage that stores content and record one after the other: nobody else may publish in between. */
function replaceWithLock ({ storage, locks }: SessionServices): CommitSave {
  return async function commitSave (fileId, staged, snapshot, options, note) {
    const lock = locks.lockOf(fileId, snapshot)
    let isRecordChanged = false
    let isPublishingNoted = false
    let info: FileInfo | null
    try {
      info = await storage.replace(fileId, staged, {
        ...options,
        async beforePublish (info, ticket) {
          isPublishingNoted = info !== undefined && note !== undefined
          const publishing = { ...(info && note?.publishing(info)), ...(ticket !== undefined && { ticket }) }
          isRecordChanged = !await lock.acquire(publishing)
          if (isRecordChanged) throw new Error('The record of the document has changed')
        }
      })
      if (info === null) await lock.abandon()
    } catch (error) {
      await lock.abandon().catch(() => {})
      if (!isRecordChanged) throw error
      return null
    }
    if (info === null) return null
    const stored = info
    await lock.releaseWith(record => note ? note.change(record, stored) : record, note?.cause).catch(error => {
      // The content is stored. A note in the lock together with the stored revision also proves it.
      if (note && !isPublishingNoted) throw error
    })
    return stored
  }
}

const PURPOSE = 'the application was about to change it'

/**
 * The storage for the application's own use. A storage with `revoke` checks the revision and publishes in two steps, so
 * its `replace` and `remove` acquire the lock in the record, as saves do. Otherwise a save that another instance has
 * just checked would overwrite what the application has stored, or bring back what it has removed. `commitSave`: must
 * not keep versions.
 */
export function applicationStorage (storage: Storage, locks: Locks, commitSave: CommitSave): Storage {
  if (!storage.revoke) return storage
  const excluding: Partial<Storage> = { replace, ...(storage.remove && { remove }) }
  return new Proxy(storage, {
    get (target, name) {
      const own = excluding[name as keyof Storage]
      if (own !== undefined) return own
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) as unknown : value
    }
  })

  async function replace (fileId: string, given: Content, options: ReplaceOptions = {}): Promise<FileInfo | null> {
    const content = acceptContent(given)
    assertReplaceOptions(options)
    const { ifRevision, beforePublish, ...rest } = options
    if (beforePublish || await storage.stat(fileId) === null) return await storage.replace(fileId, content, options)
    const isStaged = isStagedContent(content)
    const staged = isStaged ? content : await stageContent(storage, fileId, content)
    try {
      return await locks.decide(fileId, PURPOSE, async ({ snapshot, current }) => {
        if (current === null || (ifRevision !== undefined && current.revision !== ifRevision)) return null
        return await commitSave(fileId, staged, snapshot, { ...rest, ifRevision: current.revision }) ?? CHANGED
      })
    } finally {
      if (!isStaged) await staged.discard().catch(() => {})
    }
  }

  async function remove (fileId: string): Promise<boolean> {
    return await locks.decide(fileId, PURPOSE, async ({ snapshot, current }) => {
      if (current === null) return await storage.remove!(fileId)
      const lock = locks.lockOf(fileId, snapshot)
      if (!await lock.acquire()) return CHANGED
      try {
        return await storage.remove!(fileId)
      } finally {
        await lock.abandon().catch(() => {}) // usually it was removed with the record
      }
    })
  }
}

/** Stages content of the application, which may take as long as it likes. */
export async function stageContent (storage: Storage, fileId: string, content: Content): Promise<StagedContent> {
  const stream = content instanceof Uint8Array ? Readable.from([content]) : content
  return await (storage.stage ?? spool).call(storage, fileId, stream)
}

function isStagedContent (content: Content | StagedContent): content is StagedContent {
  return 'discard' in content && typeof content.discard === 'function'
}
