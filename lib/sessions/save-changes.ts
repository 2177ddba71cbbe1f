import { isDeepStrictEqual } from 'node:util'
import type { StoredDocument } from '../../types/storage.js'
import type { DocumentKeys } from '../document-server/document-key.js'
import { type ForceSaveRelation, forceSavesConcerned, placeOf } from './force-save-notes.js'
import {
  type SessionRecord, hasRefusedSave, isSameSave, lastSaveOf, liveSessions, LONG_AGO,
  type Refusal, type SaveIdentity, sessionAfter, sessionWith, type StoredSave, withoutRefusals
} from './record.js'

// Changes of the saves in a record, and conclusions from them. Pure functions, as in record.ts.

/**
 * How many saves of each status are kept. A repeat or a late force save arrives within minutes, but other saves may
 * arrive first.
 */
const MAX_SAVES = 8

export interface SaveDetails {
  readonly relation?: ForceSaveRelation | undefined
  /** Whether the document server is waiting for the answer. If not, it does not know that the save is stored. */
  readonly isAwaited?: boolean
}

/**
 * A save was stored. A final save ends its session, unless the document server will not get the answer or the save was
 * held up. Nothing changes if the record already contains the save.
 */
export function saveStored (
  record: SessionRecord, save: StoredSave, { relation = {}, isAwaited = true }: SaveDetails = {}
): SessionRecord {
  if (isNoted(record, save)) return record
  const { result } = save
  const { revision, conflictFileId, conflictReason } = result ?? {}
  const inFile = revision !== undefined && conflictFileId === undefined && { revision }
  const session = sessionWith(record, save.key)
  // The document server may return to the refused save under this key, whatever was saved since.
  const refusal = refusalOf(record, save.key)
  const isAheadOfRefused = session !== undefined && hasRefusedSave(session) &&
    (refusal === undefined || isCoveredBy(save, refusal))
  const isLate = isHeldUp(record, save, { isAwaited })
  const index = isLate ? record.saves.findLastIndex(other => isNewer(other, save)) + 1 : 0
  const noted = result ? forceSavesConcerned(record, save.key, relation, placeOf(result)) : record
  const changed = {
    ...result ? withoutRefusals(noted, refusal => isCoveredBy(save, refusal)) : noted,
    saves: latest(record.saves.toSpliced(index, 0, { ...save, ...(!isAheadOfRefused && inFile) }))
  }
  if (isLate) return sessionAfter(changed, save.key, 'known', { lastReported: LONG_AGO })
  if (save.status === 2 && isAwaited) return sessionAfter(changed, save.key, 'saved')
  if (isFinished(record, save)) return changed // its session ended while it was being stored
  return sessionAfter(changed, save.key, save.status === 2 ? 'savedUnheard' : 'forceSaved', {
    lastReported: save.status === 2 ? LONG_AGO : save.storedAt,
    ...(isAheadOfRefused && { isAheadOfRefused }),
    ...(conflictReason === 'frozen' && { isFrozenOut: true }),
    ...(inFile && { baseRevision: inFile.revision }),
    ...(revision !== undefined && conflictFileId !== undefined && { conflictFileId, conflictRevision: revision })
  })
}

/**
 * For the record of a conflict copy: a save of another file was stored in it. It does not concern the copy's own
 * sessions.
 */
export function copyStored (record: SessionRecord, save: StoredSave): SessionRecord {
  return { ...record, saves: latest([save, ...record.saves]) }
}

/** More than one session of a file is rare. */
const MAX_REFUSALS = 8

/**
 * A save was refused, or the document server could not make it. This is noted until it or a later save is stored.
 * Nothing changes if the save is obsolete, or if its session is unknown: the record may have been deleted with the
 * file.
 */
export function refusalNoted (
  record: SessionRecord, save: SaveIdentity,
  { now, ...reason }: Pick<Refusal, 'code' | 'message'> & { readonly now: number }
): SessionRecord {
  const { key } = save
  if (sessionWith(record, key) === undefined || isNoted(record, save) || isSuperseded(record, save)) return record
  const before = refusalOf(record, key)
  const lastsave = save.lastsave ?? before?.lastsave
  if (isBefore(lastsave, before?.lastsave)) return record
  const refusal = { key, since: before?.since ?? now, ...reason, ...(lastsave !== undefined && { lastsave }) }
  if (isDeepStrictEqual(refusal, before)) return record
  const others = record.refusals?.filter(other => other !== before) ?? []
  return { ...record, refusals: [refusal, ...others].slice(0, MAX_REFUSALS) }
}

/** Why and since when the latest save of a session is not stored; `undefined` if it is, as far as is known. */
export function refusalOf ({ refusals }: SessionRecord, key: string): Refusal | undefined {
  return refusals?.find(refusal => refusal.key === key)
}

/** An earlier version was restored. Users who open the document see it, not a previously refused save. */
export function versionRestored (record: SessionRecord): SessionRecord {
  const refused = record.sessions.filter(({ state }) => state === 'refused')
  return refused.reduce((changed, { key }) => sessionAfter(changed, key, 'unknown'), record)
}

/** Whether the record shows that a save is stored. */
export function isNoted ({ saves }: SessionRecord, save: SaveIdentity): boolean {
  return saves.some(other => isSameSave(other, save))
}

/**
 * Whether a force save is older than the stored content by the document server's clock, and would bring old content
 * back.
 */
export function isSuperseded (record: SessionRecord, save: SaveIdentity): boolean {
  return save.status === 6 && (isOlderThanStored(record, save) || isFinished(record, save))
}

/**
 * Whether an instance delayed a final save while its session continued: newer changes are stored, and the document
 * server is not waiting for the answer, or has already ended the session. In any other case its clock was set back.
 */
export function isHeldUp (
  record: SessionRecord, save: SaveIdentity, { isAwaited }: { readonly isAwaited: boolean }
): boolean {
  return save.status === 2 && isOlderThanStored(record, save) &&
    (!isAwaited || lastSaveOf(record, save.key)?.status === 2)
}

/** Whether another session has stored a newer save in the file, by the document server's clock. */
export function isOlderThanOthers ({ saves }: SessionRecord, { key, lastsave }: SaveIdentity): boolean {
  return saves.some(other =>
    other.key !== key && other.result !== undefined && other.result.conflictFileId === undefined &&
    isBefore(lastsave, other.lastsave)
  )
}

/** Whether a stored save of the same session contains newer changes, by the document server's clock. */
function isOlderThanStored ({ saves }: SessionRecord, save: SaveIdentity): boolean {
  return saves.some(other => isNewer(other, save))
}

/** Whether a stored save contains the changes of one that was refused. */
function isCoveredBy ({ key, lastsave }: SaveIdentity, refusal: Refusal): boolean {
  return key === refusal.key && !isBefore(lastsave, refusal.lastsave)
}

function isNewer (other: SaveIdentity, { key, lastsave }: SaveIdentity): boolean {
  return other.key === key && isBefore(lastsave, other.lastsave)
}

/**
 * Whether the session has ended with a save that included these changes. A report after that save may be late, too. A
 * final save of the same second included them, unless the document server has opened the document anew since.
 */
function isFinished (record: SessionRecord, { key, lastsave, firstChange }: SaveIdentity): boolean {
  const finish = record.saves.find(save => save.status === 2 && save.key === key)
  const isLive = liveSessions(record).some(session => session.key === key)
  if (finish === undefined || isLive || isBefore(finish.lastsave, lastsave)) return false
  return isBefore(lastsave, finish.lastsave) || firstChange === undefined || firstChange === finish.firstChange
}

/**
 * Whether someone else changed the file since the session's content was read from it or stored in it. A session that
 * saves again after its final save, without having been reported as live, may belong to another document server, unless
 * the final save was stored so late that the session had continued with the same changes.
 */
export function isConflict (
  record: SessionRecord, keys: DocumentKeys, { key, firstChange }: Pick<SaveIdentity, 'key' | 'firstChange'>,
  content: StoredDocument
): boolean {
  const session = sessionWith(record, key)
  if (session?.conflictFileId !== undefined) return true
  if (session?.baseRevision !== undefined) return session.baseRevision !== content.revision
  const last = lastSaveOf(record, key)
  const goesOn = last?.status === 6 || (firstChange !== undefined && firstChange === last?.firstChange)
  if (last !== undefined) return !goesOn || last.revision !== content.revision
  // The session was never reported. Only a key that the plugin made shows which content it was opened with.
  return keys.isForFile(content.fileId, key) && !keys.isForContent(content, key)
}

/**
 * Whether a save shares no changes with the last stored save of its key: the document server lost the session and
 * opened the document again, so the save does not build on the stored content.
 */
export function isFromReopenedSession (
  record: SessionRecord, { key, firstChange }: SaveIdentity, oldestChange: string | undefined
): boolean {
  const last = lastSaveOf(record, key)
  if (last === undefined || isBefore(last.lastsave, oldestChange)) return true
  // a save of a forgotten file does not list changes
  return last.firstChange !== undefined && firstChange !== last.firstChange
}

/** Whether a stored save of a session may be newer than its forgotten file, which was written at this time. */
export function mayBeOlderThanStored (record: SessionRecord, key: string, writtenAt: string | undefined): boolean {
  return record.saves.some(save => save.key === key && !isBefore(save.lastsave, writtenAt))
}

/**
 * Whether neither the saves of a session nor its key prove that it was based on the stored content. For a key that the
 * application assigned, the base that was noted when the session was reported counts.
 */
export function isBaseUncertain (
  record: SessionRecord, keys: DocumentKeys, key: string, content: StoredDocument
): boolean {
  if (lastSaveOf(record, key) !== undefined) return false
  return keys.isForFile(content.fileId, key)
    ? !keys.isForContent(content, key)
    : sessionWith(record, key)?.baseRevision === undefined
}

/** The limit applies per status: many force saves of a long session must not displace earlier final saves. */
function latest (saves: readonly StoredSave[]): StoredSave[] {
  return saves.filter((save, index) =>
    saves.slice(0, index).filter(({ status }) => status === save.status).length < MAX_SAVES
  )
}

/** Compares whole seconds: the times of changes have no milliseconds, the time of an unchanged forgotten file has. */
function isBefore (a: string | undefined, b: string | undefined): boolean {
  const [secondA, secondB] = [a, b].map(time => Math.floor(Date.parse(time ?? '') / 1000)) as [number, number]
  return secondA < secondB
}
