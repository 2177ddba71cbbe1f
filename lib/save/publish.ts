import type { SavedEvent } from '../../types/events.js'
import type { StoredDocument } from '../../types/storage.js'
import { NameTakenError } from '../errors.js'
import {
  holdsOf, isSameSave, lastSaveOf, type SaveIdentity, sessionWith, type StoredSave
} from '../sessions/record.js'
import { CHANGED, type SessionServices, type Snapshot, unlessUnknown } from '../sessions/record-store.js'
import { copyStored, isFromReopenedSession, isHeldUp, saveStored } from '../sessions/save-changes.js'
import type { StagedContent } from '../store/contract.js'
import { BoundedMap } from '../util/limits.js'
import { withoutUndefined } from '../util/validate.js'
import type { CommitSave, Note } from './commit.js'
import { madeBy, MAX_TEXT_LENGTH, type NewVersion } from './retention.js'
import { EARLY_RULES, type NothingToStore, ruleFor, RULES, type SaveCase } from './rules.js'
import { copyIdOf, identityOf, isStored, saveDetailsOf, saveIdOf, type SaveRequest } from './save-request.js'

/** A save with its content, and the record and the file as last read. The file exists. */
interface StagedSave {
  readonly request: SaveRequest
  readonly staged: StagedContent
  /** Whether the hook `inspect` replaced the fetched content. */
  readonly isReplaced: boolean
  /** SHA-256 of the content as it was fetched. */
  readonly hash: () => Promise<string>
  /** The document server's data about the changes. */
  readonly changes: StagedContent | undefined
  readonly snapshot: Snapshot
  readonly current: StoredDocument
  /** Whether the record and the file were read before the content was fetched, which may have taken minutes. */
  readonly isEarlyLook: boolean
}

/** A staged save after the decision. */
interface DecidedSave extends StagedSave {
  readonly identity: SaveIdentity
  /** Name of the rule that decided. */
  readonly rule: string
}

/** The content of a save was stored, was already stored, or was stored as a conflict copy. */
export interface Published {
  readonly outcome: 'stored' | 'unchanged' | 'conflict'
  readonly event: SavedEvent
}

type Result = NonNullable<StoredSave['result']>

interface NewCopy {
  readonly fileType: string
  /** SHA-256 of the content as it was fetched. */
  readonly hash: string
  readonly conflictReason: NonNullable<Result['conflictReason']>
}

/** The events of the latest saves are kept. */
const MAX_DELIVERED = 10_000

export function createPublisher (services: SessionServices, commitSave: CommitSave) {
  const { storage, recordStore, keys, hooks, settings: { clock, policies } } = services
  /** Ids of the events that this instance has passed to `onSaved`. */
  const delivered = new BoundedMap<string, true>(MAX_DELIVERED)
  /** Copies under new names: the next decision about the same content reuses them. */
  const furtherCopies = new WeakMap<StagedContent, StoredDocument>()

  return { publish, nothingToStore }

  /** Why nothing needs to be stored, whatever the content; `undefined` if the content decides. */
  async function nothingToStore (request: SaveRequest, snapshot: Snapshot): Promise<NothingToStore | undefined> {
    const save = caseOf(request, snapshot)
    const rule = await ruleFor(EARLY_RULES, save)
    if (rule?.outcome === 'refuse') throw rule.error(save)
    if (rule?.outcome !== 'ignore') return undefined
    if (rule.name === 'repeated') await deliverAgain(request, snapshot)
    return rule.name
  }

  /**
   * Decides where the content of a save goes, publishes it there and delivers the event. If it resolves to `CHANGED`,
   * nothing is published. Not for saves that store nothing.
   */
  async function publish (save: StagedSave, isNameTaken = false): Promise<Published | typeof CHANGED> {
    const { request, snapshot, current } = save
    const isPresent = async () => await isStored(services, save.staged, current) || await isStoredReplaced(save)
    const fetched = { ...caseOf(request, snapshot), file: current, isPresent, isNameTaken }
    const rule = (await ruleFor(RULES, fetched))!
    const decided = { ...save, identity: fetched.identity, rule: rule.name }
    switch (rule.outcome) {
      case 'refuse': throw rule.error(fetched)
      case 'copy': return await storeConflictCopy(decided, rule.reason)
      case 'note': return await noteOnly(decided)
      default:
        return await storeInFile(decided).catch(async error => {
          if (!(error instanceof NameTakenError) || request.key === undefined) throw error
          return await publish(save, true)
        })
    }
  }

  function caseOf (request: SaveRequest, { record, file }: Snapshot): SaveCase {
    return { request, identity: identityOf(request), record, file, now: clock.now(), keys, policies }
  }

  /**
   * Delivers the event of a repeated save, because the process may have ended between storing the save and calling the
   * hook. If the content was superseded meanwhile, a newer event reports that.
   */
  async function deliverAgain (
    request: SaveRequest, { record: { saves }, file }: Snapshot
  ): Promise<void> {
    const identity = identityOf(request)
    const { result } = saves.find(save => isSameSave(save, identity)) ?? {}
    if (result === undefined || delivered.has(saveIdOf(request))) return
    const { conflictFileId, revision } = result
    const stored = conflictFileId === undefined ? file : await storage.stat(conflictFileId)
    if (stored?.revision === revision) await deliver(eventOf(request, result))
  }

  async function deliver (event: SavedEvent): Promise<void> {
    await hooks.call('onSaved', event)
    delivered.set(event.id, true)
  }

  /**
   * Whether the file has the bytes that `inspect` returned for the same content earlier. It may return other bytes each
   * time.
   */
  async function isStoredReplaced (
    { request: { key = '' }, hash, snapshot: { record }, current }: StagedSave
  ): Promise<boolean> {
    const last = lastSaveOf(record, key)
    return last?.hash !== undefined && last.result?.conflictFileId === undefined &&
      last.result?.revision === current.revision && last.hash === await hash()
  }

  async function storeInFile (
    { request, identity, rule, staged, isReplaced, hash, changes, snapshot }: DecidedSave
  ): Promise<Published | typeof CHANGED> {
    const { fileId, key, users } = request
    const replacedHash = isReplaced ? await hash() : undefined
    const options = { ...formatOf(request), version: versionOf(request, changes) }
    const note: Note = {
      change: (record, info) =>
        saveStored(record, storedSave(identity, resultOf(info, rule), replacedHash), saveDetailsOf(request)),
      cause: { key: identity.key, users }
    }
    // nothing can be noted about a save without a key
    const info = await commitSave(fileId, staged, snapshot, options, key === undefined ? undefined : note)
    return info === null ? CHANGED : await published('stored', request, resultOf(info, rule))
  }

  async function storeConflictCopy (
    save: DecidedSave, conflictReason: NonNullable<Result['conflictReason']>
  ): Promise<Published | typeof CHANGED> {
    // the record would not show that the file itself was changed or removed since
    if (save.isEarlyLook) return CHANGED
    const { request, identity, snapshot, current } = save
    const { fileId, users } = request
    const hash = await save.hash()
    const { fileType = current.fileType } = formatOf(request)
    const result = await copied(save, { fileType, hash, conflictReason })
    if (result === CHANGED) return CHANGED
    // If the record has changed, the next decision finds the copy, which has the same name and content then.
    const record = saveStored(snapshot.record, storedSave(identity, result, hash), saveDetailsOf(request))
    const isNoted = await recordStore.compareAndSet(fileId, record, snapshot, { cause: { key: identity.key, users } })
    return isNoted ? await published('conflict', request, result) : CHANGED
  }

  /** The save must be stored even if an earlier copy is in an unknown state. */
  async function copied (save: DecidedSave, about: NewCopy): Promise<Result | typeof CHANGED> {
    const noted = await notedCopy(save, about.hash).catch(unlessUnknown)
    if (noted) return noted
    const replaced = await replaceConflictCopy(save, about).catch(unlessUnknown)
    if (replaced === CHANGED) return CHANGED
    return copyResult(replaced ?? await createConflictCopy(save, about), save.rule, about.conflictReason)
  }

  /**
   * The conflict copy that, according to a note, has the content of this save. The note is in the record of the file
   * or, if a crash came before that, in the copy's own record. Later changes of the copy do not matter: whoever made
   * them knew the content.
   */
  async function notedCopy (save: DecidedSave, hash: string): Promise<Result | undefined> {
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
    const copied = lastSaveOf((await recordStore.read(conflictFileId)).record, key)
    return copied && await isThere(copied) ? copied.result : undefined
  }

  /**
   * Replaces the conflict copy of the session's last save, unless that copy is newer, changed, frozen or being edited.
   * A forgotten file does not replace the copy, because it may not build on it. The save is noted in the copy's own
   * record together with its content, because a crash may come before the record of the file is written.
   */
  async function replaceConflictCopy (
    save: DecidedSave, { fileType, hash, conflictReason }: NewCopy
  ): Promise<StoredDocument | typeof CHANGED | undefined> {
    const { request, identity, staged, snapshot: { record } } = save
    const { conflictFileId, conflictRevision } = sessionWith(record, identity.key) ?? {}
    if (conflictFileId === undefined || conflictRevision === undefined || request.forgotten) return undefined
    const isHeld = isHeldUp(record, identity, saveDetailsOf(request))
    if (isHeld || isFromReopenedSession(record, identity, request.oldestChange)) return undefined
    const copy = await recordStore.read(conflictFileId)
    if (copy.file?.revision !== conflictRevision) return undefined
    if (copy.record.sessions.length > 0 || holdsOf(copy.record, clock.now()).length > 0) return undefined
    const info = await commitSave(conflictFileId, staged, copy, { fileType, version: versionOf(request) }, {
      change: (record, info) =>
        copyStored(record, storedSave(identity, copyResult(info, save.rule, conflictReason), hash))
    })
    return info ?? CHANGED
  }

  /**
   * Reuses the copy of an attempt that was not noted, unless that copy was changed since. A copy with a replacement is
   * recognized only by its name, because `inspect` may return other bytes each time.
   */
  async function createConflictCopy (
    { request: { fileId }, identity: { key }, staged, isReplaced, snapshot: { record } }: DecidedSave,
    { fileType, hash }: NewCopy
  ): Promise<StoredDocument> {
    const copyId = copyIdOf(fileId, key, hash)
    const noted = [...record.sessions, ...record.saves.map(({ result }) => result)]
    const isNoted = noted.some(place => place?.conflictFileId === copyId)
    if (!isNoted) { // otherwise it may have been removed, and its name must not be used again
      try {
        return await storage.create(fileType, staged, { fileId: copyId })
      } catch (error) {
        if (!(error instanceof NameTakenError)) throw error
      }
    }
    const existing = await storage.stat(copyId).catch(unlessUnknown)
    if (existing && ((isReplaced && !isNoted) || await isStored(services, staged, existing))) return existing
    const made = furtherCopies.get(staged) ?? await storage.create(fileType, staged)
    furtherCopies.set(staged, made)
    return made
  }

  /** Stores only the note: the same bytes are already stored. */
  async function noteOnly (
    { request, identity, rule, isReplaced, hash, snapshot, current }: DecidedSave
  ): Promise<Published | typeof CHANGED> {
    const result = resultOf(current, rule)
    const stored = storedSave(identity, result, isReplaced ? await hash() : undefined)
    const record = saveStored(snapshot.record, stored, saveDetailsOf(request))
    const isNoted = await recordStore.compareAndSet(request.fileId, record, snapshot, {
      cause: { key: identity.key, users: request.users }
    })
    return isNoted ? await published('unchanged', request, result) : CHANGED
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
  function formatOf ({ fileType }: SaveRequest): { fileType?: string } {
    return policies.formatChange === 'follow' && fileType !== undefined ? { fileType } : {}
  }

  /** The changes belong to the file that was edited, not to a conflict copy. */
  function versionOf (request: SaveRequest, changes?: StagedContent) {
    return () => newVersion(request, clock.now(), changes)
  }

  function storedSave (identity: SaveIdentity, result: Result, hash?: string): StoredSave {
    return { ...identity, storedAt: clock.now(), ...(hash !== undefined && { hash }), result }
  }
}

function resultOf ({ fileType, size, revision }: StoredDocument, rule: string): Result {
  return { fileType, size, revision, rule }
}

function copyResult (copy: StoredDocument, rule: string, conflictReason: NewCopy['conflictReason']): Result {
  return { ...resultOf(copy, rule), conflictFileId: copy.fileId, conflictReason }
}

function eventOf (request: SaveRequest, result: Result): SavedEvent {
  const { fileId, key, status, users, forgotten } = request
  const { conflictFileId, conflictReason, rule, fileType, size, revision } = result
  return {
    id: saveIdOf(request),
    fileId,
    status,
    stored: { fileId: conflictFileId ?? fileId, fileType, size, revision },
    ...withoutUndefined({ key, rule, users }),
    ...(conflictReason !== undefined && { conflict: { reason: conflictReason } }),
    ...(forgotten && { recovered: true })
  }
}

/** Limit of the JSON text in UTF-8. A version has the details of two contents, and storages accept 64 KiB. */
const MAX_CHANGES_BYTES = 24 * 1024

/**
 * The details of a save in the version history. Unusable data from the document server is left out, because a save
 * whose version cannot be kept would be refused.
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
