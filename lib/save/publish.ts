import type { SavedEvent } from '../../types/events.js'
import type { FileInfo, StagedContent } from '../../types/storage.js'
import { sha256Of } from '../digest.js'
import { BeingEditedError, NameTakenError, StorageTimeoutError } from '../errors.js'
import type { NewVersion } from '../history/details.js'
import type { Settings } from '../options.js'
import type { DocumentKeys } from '../sessions/document-key.js'
import type { Locks } from '../sessions/locks.js'
import { lastSaveOf, type SaveIdentity, sessionWith, type StoredSave } from '../sessions/record.js'
import type { RecordSnapshot, RecordStore } from '../sessions/record-store.js'
import { liveSessions } from '../sessions/session-states.js'
import { isBaseUncertain, isConflict, isFromReopenedSession, isHeldUp, isOlderThanOthers, mayBeOlderThanStored, type SaveDetails, saveStored } from '../sessions/stored-saves.js'
import { discard } from '../streams.js'
import { withTimeout } from '../with-timeout.js'
import { newVersion } from './new-version.js'
import type { ReplaceNoted } from './noted-replace.js'
import type { Outbox } from './outbox.js'
import { copyIdOf, saveIdOf, type SaveRequest } from './save-request.js'
import type { StagingStorage } from './staging.js'

interface Dependencies {
  readonly storage: StagingStorage
  readonly recordStore: RecordStore
  readonly locks: Locks
  readonly replaceNoted: ReplaceNoted
  readonly keys: DocumentKeys
  readonly outbox: Outbox
  readonly settings: Pick<Settings, 'onFormatChange' | 'onConflict' | 'timeouts' | 'clock'>
}

/** A save with its content, and the record and the file as last read. */
export interface StagedSave {
  readonly request: SaveRequest
  /** Absent where the save has no key: then nothing about it can be noted. */
  readonly identity: SaveIdentity | undefined
  readonly staged: StagedContent
  /** The document server's data of the changes. */
  readonly changes: StagedContent | undefined
  readonly snapshot: RecordSnapshot
  readonly current: FileInfo
  /** Whether they were read before the content was fetched, which may have taken minutes. */
  readonly isEarlyLook: boolean
}

type IdentifiedSave = StagedSave & { readonly identity: SaveIdentity }

/** The file or its record has changed: look again and decide again. */
export const CHANGED = Symbol('changed')

/** What became of the content of a save: it is stored now, was stored already, or is stored as a conflict copy. */
export interface Published {
  readonly outcome: 'stored' | 'unchanged' | 'conflict'
  readonly event: SavedEvent
}

/**
 * Decides where the content of a save goes, publishes it there and delivers the event. Nothing is published when it resolves to
 * `CHANGED`.
 */
export type Publish = (save: StagedSave) => Promise<Published | typeof CHANGED>

export function createPublish ({ storage, recordStore, locks, replaceNoted, keys, outbox, settings }: Dependencies): Publish {
  return async function publish (save) {
    return isIdentified(save) ? await decide(save) : await replaceWithoutRecord(save)
  }

  async function decide (save: IdentifiedSave): Promise<Published | typeof CHANGED> {
    const { request, identity, staged, snapshot: { record }, current } = save
    const conflict = request.forgotten
      ? isOutdated(save) || isBaseUncertain(record, keys, identity.key, current) || isConflict(record, keys, identity, current)
      : wasHeldUp(save) || (settings.onConflict === 'keep-both' ? isConflict(record, keys, identity, current) : isOlderThanOthers(record, identity))
    // It may have been published before: its note was lost in a power failure, or an earlier attempt at it was held up until now.
    const mayBeStored = conflict || request.notmodified || lastSaveOf(record, identity.key)?.status === 2
    if (mayBeStored && await isStoredContent(staged, current)) return await noteOnly(save)
    if (conflict) return await storeConflictCopy(save, 'changed')
    // What another session saves would not build on it.
    if (request.forgotten && liveSessions(record).some(({ key }) => !request.forgotten!.keysAtRest.has(key))) throw new BeingEditedError(0)
    try {
      return await storeInFile(save)
    } catch (error) {
      if (!(error instanceof NameTakenError)) throw error
      return await storeConflictCopy(save, 'format')
    }
  }

  async function storeInFile ({ request, identity, staged, changes, snapshot, current }: IdentifiedSave): Promise<Published | typeof CHANGED> {
    const { fileId, bearing, users } = request
    const options = { ...formatOf(request), ifRevision: current.revision, version: versionOf(request, changes) }
    const replaced = await replaceNoted(fileId, staged, snapshot, options, {
      change: (record, info) => saveStored(record, storedSave(identity, info.revision), detailsOf(request, eventOf(request, info))),
      publishing (info) {
        const { undelivered } = detailsOf(request, eventOf(request, info))
        return { save: storedSave(identity, info.revision), ...(bearing && { bearing }), ...(undelivered && { undelivered }) }
      },
      cause: { key: identity.key, users }
    })
    if (replaced === null) return CHANGED
    const event = eventOf(request, replaced.info)
    await outbox.deliver(fileId, event, replaced.snapshot)
    return { outcome: 'stored', event }
  }

  async function storeConflictCopy (save: IdentifiedSave, reason: 'changed' | 'format'): Promise<Published | typeof CHANGED> {
    if (save.isEarlyLook) return CHANGED // the lock would not tell whether the file itself has changed since, or was removed
    const { request, identity, snapshot, current } = save
    const { fileId } = request
    const lock = locks.lockOf(fileId, snapshot)
    if (!await lock.acquire()) return CHANGED
    try {
      const { extension = current.extension } = formatOf(request)
      const conflictCopy = await replaceConflictCopy(save, extension) ?? await createConflictCopy(save, extension)
      const event = eventOf(request, conflictCopy, reason)
      await lock.releaseWith(record => saveStored(record, storedSave(identity), { conflictCopy, ...detailsOf(request, event) }), { key: identity.key, users: request.users })
      await outbox.deliver(fileId, event)
      return { outcome: 'conflict', event }
    } catch (error) {
      await lock.release().catch(() => {})
      throw error
    }
  }

  /**
   * Replaces the conflict copy of the session's last save, unless that copy is newer, was changed or is being edited. A forgotten file
   * does not tell whether it builds on that copy.
   */
  async function replaceConflictCopy (save: IdentifiedSave, extension: string): Promise<FileInfo | null> {
    const { request, identity, staged, snapshot: { record } } = save
    const { conflictFileId, conflictRevision } = sessionWith(record, identity.key) ?? {}
    if (conflictFileId === undefined || conflictRevision === undefined || request.forgotten) return null
    if (wasHeldUp(save) || isFromReopenedSession(record, identity.key, request.oldestChange)) return null
    const snapshot = await locks.whenFree(conflictFileId)
    if (snapshot.record.sessions.length > 0) return null
    const replaced = await replaceNoted(conflictFileId, staged, snapshot, { extension, ifRevision: conflictRevision, version: versionOf(request) })
    return replaced && replaced.info
  }

  /** The copy of an attempt that was not noted is used, unless it was changed since. */
  async function createConflictCopy ({ request, staged }: IdentifiedSave, extension: string): Promise<FileInfo> {
    const fileId = copyIdOf({ ...request, url: request.url.href })
    try {
      return await storage.create(extension, staged, { fileId })
    } catch (error) {
      if (!(error instanceof NameTakenError)) throw error
      const existing = await storage.stat(fileId)
      return existing && await isStoredContent(staged, existing) ? existing : await storage.create(extension, staged)
    }
  }

  /** Stores nothing: the same bytes are stored already. */
  async function noteOnly ({ request, identity, snapshot, current }: IdentifiedSave): Promise<Published | typeof CHANGED> {
    const event = eventOf(request, current)
    const record = saveStored(snapshot.record, storedSave(identity, current.revision), detailsOf(request, event))
    if (await recordStore.compareAndSet(request.fileId, record, snapshot, { cause: { key: identity.key, users: request.users } }) === null) return CHANGED
    await outbox.deliver(request.fileId, event)
    return { outcome: 'unchanged', event }
  }

  async function replaceWithoutRecord ({ request, staged, changes, current }: StagedSave): Promise<Published | typeof CHANGED> {
    const info = await storage.replace(request.fileId, staged, { ...formatOf(request), ifRevision: current.revision, version: versionOf(request, changes) })
    if (info === null) return CHANGED
    const event = eventOf(request, info)
    await outbox.deliver(request.fileId, event)
    return { outcome: 'stored', event }
  }

  /** Also where the file had that extension when it was looked at: another program may have renamed it, which changes no revision. */
  function formatOf ({ filetype }: SaveRequest): { extension?: string } {
    return settings.onFormatChange === 'follow' && filetype !== undefined ? { extension: filetype } : {}
  }

  async function isStoredContent (staged: StagedContent, { fileId, size, revision }: FileInfo): Promise<boolean> {
    if (staged.size !== size) return false
    const stored = await storage.read(fileId)
    if (stored === null) return false
    try {
      const hashes = async () => await Promise.all([sha256Of(staged), sha256Of(stored.body)])
      const [a, b] = await withTimeout(hashes, { milliseconds: settings.timeouts.total, timeoutError: ms => new StorageTimeoutError('read', ms) })
      return stored.info.revision === revision && a === b
    } finally {
      discard(stored.body)
    }
  }

  /** The changes belong to the file that was edited, not to a conflict copy. */
  function versionOf (request: SaveRequest, changes?: StagedContent): () => NewVersion {
    return () => newVersion(request, settings.clock.now(), changes)
  }

  function detailsOf (request: SaveRequest, event: SavedEvent): SaveDetails {
    return { undelivered: outbox.entryFor(event), bearing: request.bearing, isAwaited: isAwaited(request) }
  }

  function storedSave (identity: SaveIdentity, revision?: string): StoredSave {
    return { ...identity, storedAt: settings.clock.now(), ...(revision !== undefined && { revision }) }
  }
}

/** Whether it is a forgotten file that may be older than what was stored of its session. */
function isOutdated ({ request: { forgotten, lastsave }, identity: { key }, snapshot: { record } }: IdentifiedSave): boolean {
  return forgotten !== undefined && mayBeOlderThanStored(record, key, lastsave)
}

function wasHeldUp ({ request, identity, snapshot: { record } }: IdentifiedSave): boolean {
  return isHeldUp(record, identity, { isAwaited: isAwaited(request) })
}

function isAwaited (request: SaveRequest): boolean {
  return request.isAwaited?.() ?? true
}

function isIdentified (save: StagedSave): save is IdentifiedSave {
  return save.identity !== undefined
}

function eventOf (request: SaveRequest, { fileId, extension, size, revision }: FileInfo, conflictReason?: 'changed' | 'format'): SavedEvent {
  const { key, status, users } = request
  return {
    id: saveIdOf({ ...request, url: request.url.href }),
    fileId: request.fileId,
    status,
    extension,
    size,
    revision,
    ...(key !== undefined && { key }),
    ...(users && { users }),
    ...(request.forgotten && { recovered: true }),
    ...(conflictReason && { conflict: true, conflictFileId: fileId, conflictReason })
  }
}
