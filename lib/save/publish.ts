import { isDeepStrictEqual } from 'node:util'
import type { SavedEvent } from '../../types/events.js'
import type { FileInfo, StagedContent } from '../../types/storage.js'
import { BeingEditedError, LockedError, NameTakenError, NO_REASON } from '../errors.js'
import { CHANGED, type Look, type SessionServices } from '../sessions/locks.js'
import {
  holdsOf, isFrozenOut, isSameSave, lastSaveOf, liveSessions, type SaveIdentity, sessionWith, type StoredSave
} from '../sessions/record.js'
import { type RecordSnapshot, unlessUnknown } from '../sessions/record-store.js'
import {
  copyStored, isBaseUncertain, isConflict, isFromReopenedSession, isHeldUp, isOlderThanOthers, mayBeOlderThanStored,
  type SaveDetails, saveStored
} from '../sessions/save-changes.js'
import { BoundedMap } from '../util/bounded-map.js'
import type { CommitSave } from './commit.js'
import { copyIdOf, identityOf, isStored, saveIdOf, type SaveRequest } from './save-request.js'
import { madeBy, MAX_TEXT_LENGTH, type NewVersion } from './version-details.js'

/** A save with its content, and the record and the file as last read. */
interface StagedSave {
  readonly request: SaveRequest
  readonly staged: StagedContent
  /** Whether the hook `inspect` has replaced the content that was fetched. */
  readonly isReplaced: boolean
  /** SHA-256 of the content as it was fetched. */
  readonly hash: () => Promise<string>
  /** The document server's data of the changes. */
  readonly changes: StagedContent | undefined
  readonly snapshot: RecordSnapshot
  readonly current: FileInfo
  /** Whether the record and the file were read before the content was fetched, which may have taken minutes. */
  readonly isEarlyLook: boolean
}

/** A save with a key. Nothing can be noted about a save without a key. */
type IdentifiedSave = StagedSave & { readonly identity: SaveIdentity }

/** The content of a save was stored, was already stored, or was stored as a conflict copy. */
export interface Published {
  readonly outcome: 'stored' | 'unchanged' | 'conflict'
  readonly event: SavedEvent
}

type Result = NonNullable<StoredSave['result']>

interface NewCopy {
  readonly extension: string
  /** SHA-256 of the content as it was fetched. */
  readonly hash: string
  readonly conflictReason: NonNullable<Result['conflictReason']>
}

/** The events of the latest saves are kept. */
const MAX_DELIVERED = 10_000

export function createPublisher (services: SessionServices, commitSave: CommitSave) {
  const { storage, recordStore, locks, keys, hooks, settings: { clock, policies } } = services
  /** Ids of the events that this instance has passed to `onSaved`. */
  const delivered = new BoundedMap<string, true>(MAX_DELIVERED)

  return { publish, deliverAgain }

  /**
   * Decides where the content of a save goes, publishes it there and delivers the event. Nothing is published if it
   * resolves to `CHANGED`.
   */
  async function publish (save: StagedSave): Promise<Published | typeof CHANGED> {
    const identity = identityOf(save.request)
    if (identity) return await decide({ ...save, identity })
    const [hold] = holdsOf(save.snapshot.record, clock.now())
    if (hold) throw new LockedError(hold.reason || NO_REASON) // the document server keeps it
    return await storeInFile(save)
  }

  /**
   * Delivers the event of a repeated save: the process may have ended after storing the save and before delivering its
   * event. If the content was superseded meanwhile, a newer event reports that.
   */
  async function deliverAgain (
    request: SaveRequest, { snapshot: { record: { saves } }, current }: Look
  ): Promise<void> {
    const identity = identityOf(request)!
    const { result } = saves.find(save => isSameSave(save, identity)) ?? {}
    if (result === undefined || delivered.has(saveIdOf(request))) return
    const { conflictFileId, revision } = result
    const stored = conflictFileId === undefined ? current : await storage.stat(conflictFileId)
    if (stored?.revision === revision) await deliver(eventOf(request, result))
  }

  async function deliver (event: SavedEvent): Promise<void> {
    await hooks.call('onSaved', event)
    delivered.set(event.id, true)
  }

  async function decide (save: IdentifiedSave): Promise<Published | typeof CHANGED> {
    const { request, identity, staged, snapshot: { record }, current } = save
    // The session has continued: the document server may have a newer file under the key.
    if (request.forgotten && !isDeepStrictEqual(sessionWith(record, identity.key), request.forgotten.session)) {
      throw new BeingEditedError(0)
    }
    const isFrozen = isFrozenOut(record, identity.key, clock.now())
    const conflict = isFrozen || (request.forgotten
      ? mayBeOlderThanStored(record, identity.key, request.lastsave) ||
        isBaseUncertain(record, keys, identity.key, current) || isConflict(record, keys, identity, current)
      : wasHeldUp(save) ||
        (policies.conflict === 'keep-both'
          ? isConflict(record, keys, identity, current)
          : isOlderThanOthers(record, identity)))
    // The save may already be published: its note was lost in a power failure, or an earlier attempt was held up until
    // now.
    const mayBeStored = conflict || request.notmodified || lastSaveOf(record, identity.key)?.status === 2
    if (mayBeStored && (await isStored(services, staged, current) || await isStoredReplaced(save))) {
      return await noteOnly(save)
    }
    if (conflict) return await storeConflictCopy(save, isFrozen ? 'frozen' : 'changed')
    // The saves of another session would not build on the forgotten file.
    if (request.forgotten && liveSessions(record).some(({ key }) => !request.forgotten!.keysAtRest.has(key))) {
      throw new BeingEditedError(0)
    }
    try {
      return await storeInFile(save)
    } catch (error) {
      if (!(error instanceof NameTakenError)) throw error
      return await storeConflictCopy(save, 'format')
    }
  }

  /** Whether the file has what `inspect` returned for the same content before. It may return other bytes each time. */
  async function isStoredReplaced (
    { identity, hash, snapshot: { record }, current }: IdentifiedSave
  ): Promise<boolean> {
    const last = lastSaveOf(record, identity.key)
    return last?.hash !== undefined && last.result?.conflictFileId === undefined &&
      last.result?.revision === current.revision && last.hash === await hash()
  }

  async function storeInFile (
    { request, identity, staged, isReplaced, hash, changes, snapshot, current }: StagedSave & Partial<IdentifiedSave>
  ): Promise<Published | typeof CHANGED> {
    const { fileId, relation, users } = request
    const replacedHash = isReplaced ? await hash() : undefined
    const options = { ...formatOf(request), ifRevision: current.revision, version: versionOf(request, changes) }
    const info = await commitSave(fileId, staged, snapshot, options, identity && {
      change: (record, info) =>
        saveStored(record, storedSave(identity, resultOf(info), replacedHash), detailsOf(request)),
      publishing: info => ({
        save: storedSave(identity, resultOf(info), replacedHash),
        ...(relation && { relation })
      }),
      cause: { key: identity.key, users }
    })
    return info === null ? CHANGED : await published('stored', request, resultOf(info))
  }

  async function storeConflictCopy (
    save: IdentifiedSave, conflictReason: NonNullable<Result['conflictReason']>
  ): Promise<Published | typeof CHANGED> {
    // the lock would not show that the file itself was changed or removed since
    if (save.isEarlyLook) return CHANGED
    const { request, identity, snapshot, current } = save
    const { fileId, users } = request
    const hash = await save.hash() // before the lock, because it may take long
    const lock = locks.lockOf(fileId, snapshot)
    if (!await lock.acquire()) return CHANGED
    try {
      const { extension = current.extension } = formatOf(request)
      const about: NewCopy = { extension, hash, conflictReason }
      // What is unknown of an earlier copy must not keep the save from being stored.
      const result = await notedCopy(save, hash).catch(unlessUnknown) ?? copyResult(
        await replaceConflictCopy(save, about).catch(unlessUnknown) ?? await createConflictCopy(save, about),
        conflictReason
      )
      await lock.releaseWith(record => saveStored(record, storedSave(identity, result, hash), detailsOf(request)), {
        key: identity.key,
        users
      })
      return await published('conflict', request, result)
    } catch (error) {
      await lock.abandon().catch(() => {})
      throw error
    }
  }

  /**
   * The conflict copy that is noted to have the content of this save, in the record of the file or, if a crash came
   * before that, in the copy's own. What was noted then counts: whoever has changed the copy since, knew it.
   */
  async function notedCopy (save: IdentifiedSave, hash: string): Promise<Result | undefined> {
    const { request, identity, snapshot: { record } } = save
    const { key } = identity
    const isThere = async ({ result, ...noted }: StoredSave): Promise<boolean> => {
      if (result?.conflictFileId === undefined || !(noted.hash === hash || isSameSave(noted, identity))) return false
      const copy = await storage.stat(result.conflictFileId)
      const mayBeChanged = request.forgotten !== undefined || isSameSave(noted, identity)
      return copy !== null && (mayBeChanged || copy.revision === result.revision)
    }
    const last = lastSaveOf(record, key)
    if (last && await isThere(last)) return last.result
    const { conflictFileId } = sessionWith(record, key) ?? {}
    if (conflictFileId === undefined) return undefined
    const copied = lastSaveOf((await locks.whenFree(conflictFileId)).record, key)
    return copied && await isThere(copied) ? copied.result : undefined
  }

  /**
   * Replaces the conflict copy of the session's last save, unless that copy is newer, changed, frozen or being
   * edited. A forgotten file does not replace the copy: it may not build on it. The copy's own record notes the save
   * together with its content: a crash may come before the record of the file does.
   */
  async function replaceConflictCopy (
    save: IdentifiedSave, { extension, hash, conflictReason }: NewCopy
  ): Promise<FileInfo | null> {
    const { request, identity, staged, snapshot: { record } } = save
    const { conflictFileId, conflictRevision } = sessionWith(record, identity.key) ?? {}
    if (conflictFileId === undefined || conflictRevision === undefined || request.forgotten) return null
    if (wasHeldUp(save) || isFromReopenedSession(record, identity, request.oldestChange)) return null
    const snapshot = await locks.whenFree(conflictFileId)
    if (snapshot.record.sessions.length > 0 || holdsOf(snapshot.record, clock.now()).length > 0) return null
    const copySave = (info: FileInfo) => storedSave(identity, copyResult(info, conflictReason), hash)
    const options = { extension, ifRevision: conflictRevision, version: versionOf(request) }
    const copy = await commitSave(conflictFileId, staged, snapshot, options, {
      change: (record, info) => copyStored(record, copySave(info)),
      publishing: info => ({ save: copySave(info) })
    })
    if (copy) return copy
    // A storage that cannot announce a revision may have replaced it in an earlier attempt.
    const existing = await storage.stat(conflictFileId)
    return existing && await isStored(services, staged, existing) ? existing : null
  }

  /**
   * Reuses the copy of an attempt that was not noted, unless that copy was changed since. What `inspect` returns may
   * differ each time, so a copy with a replacement is known by its name only.
   */
  async function createConflictCopy (
    { request: { fileId }, identity: { key }, staged, isReplaced, snapshot: { record } }: IdentifiedSave,
    { extension, hash }: NewCopy
  ): Promise<FileInfo> {
    const copyId = copyIdOf(fileId, key, hash)
    const noted = [...record.sessions, ...record.saves.map(({ result }) => result)]
    const isNoted = noted.some(place => place?.conflictFileId === copyId)
    if (!isNoted) { // otherwise it may have been removed, and its name must not be used again
      try {
        return await storage.create(extension, staged, { fileId: copyId })
      } catch (error) {
        if (!(error instanceof NameTakenError)) throw error
      }
    }
    const existing = await storage.stat(copyId).catch(unlessUnknown)
    if (existing && ((isReplaced && !isNoted) || await isStored(services, staged, existing))) return existing
    return await storage.create(extension, staged)
  }

  /** Stores nothing but the note: the same bytes are already stored. */
  async function noteOnly (
    { request, identity, isReplaced, hash, snapshot, current }: IdentifiedSave
  ): Promise<Published | typeof CHANGED> {
    const stored = storedSave(identity, resultOf(current), isReplaced ? await hash() : undefined)
    const record = saveStored(snapshot.record, stored, detailsOf(request))
    const noted = await recordStore.compareAndSet(request.fileId, record, snapshot, {
      cause: { key: identity.key, users: request.users }
    })
    return noted === null ? CHANGED : await published('unchanged', request, resultOf(current))
  }

  async function published (outcome: Published['outcome'], request: SaveRequest, result: Result): Promise<Published> {
    const event = eventOf(request, result)
    await deliver(event)
    return { outcome, event }
  }

  /**
   * The extension is given even if the file already had it: another program may have renamed the file since, which does
   * not change the revision.
   */
  function formatOf ({ filetype }: SaveRequest): { extension?: string } {
    return policies.formatChange === 'follow' && filetype !== undefined ? { extension: filetype } : {}
  }

  /** The changes belong to the file that was edited, not to a conflict copy. */
  function versionOf (request: SaveRequest, changes?: StagedContent) {
    return () => newVersion(request, clock.now(), changes)
  }

  function storedSave (identity: SaveIdentity, result: Result, hash?: string): StoredSave {
    return { ...identity, storedAt: clock.now(), ...(hash !== undefined && { hash }), result }
  }
}

function wasHeldUp ({ request, identity, snapshot: { record } }: IdentifiedSave): boolean {
  return isHeldUp(record, identity, detailsOf(request))
}

function detailsOf ({ relation, isAwaited }: SaveRequest): SaveDetails & { readonly isAwaited: boolean } {
  return { relation, isAwaited: isAwaited?.() ?? true }
}

function resultOf ({ extension, size, revision }: FileInfo): Result {
  return { extension, size, revision }
}

function copyResult (copy: FileInfo, conflictReason: NewCopy['conflictReason']): Result {
  return { ...resultOf(copy), conflictFileId: copy.fileId, conflictReason }
}

function eventOf (request: SaveRequest, result: Result): SavedEvent {
  const { fileId, key, status, users, forgotten } = request
  return {
    id: saveIdOf(request),
    fileId,
    status,
    ...result,
    ...(key !== undefined && { key }),
    ...(users && { users }),
    ...(forgotten && { recovered: true }),
    ...(result.conflictFileId !== undefined && { conflict: true })
  } as SavedEvent
}

/** Limit for the JSON text in UTF-8. A version has details of two contents, and storages accept 64 KiB. */
const MAX_CHANGES_BYTES = 24 * 1024

/**
 * What the version history contains about a save. Unusable data from the document server is left out: a save whose
 * version cannot be kept would be refused.
 */
function newVersion (
  { key, lastsave, users, history = {} }: SaveRequest, now: number, staged: StagedContent | undefined
): NewVersion {
  const { changes, serverVersion } = history
  const last = changes?.at(-1)?.user
  return {
    made: {
      savedAt: new Date(Number.isNaN(Date.parse(lastsave ?? '')) ? now : lastsave!).toISOString(),
      ...(isShort(key) && { key }),
      ...madeBy(last?.id === undefined ? { id: users?.[0] } : last),
      ...(changes && Buffer.byteLength(JSON.stringify(changes)) <= MAX_CHANGES_BYTES && { changes: [...changes] }),
      ...(isShort(serverVersion) && { serverVersion })
    },
    changes: staged
  }
}

function isShort (text: string | undefined): text is string {
  return text !== undefined && text.length <= MAX_TEXT_LENGTH
}
