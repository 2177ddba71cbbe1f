import type { FileInfo } from '../../types/storage.js'
import type { DocumentKeys } from './document-key.js'
import { givenUp, withLive } from './live-sessions.js'
import { type FileRecord, lastSave, type SaveIdentity, sessionOf, type StoredSave, type UntoldEvent } from './record.js'

/** A repeat or a late force save comes within minutes, but other saves may come before it. This many are kept of each kind. */
const MAX_SAVES = 8

interface Storing {
  /** The other file in which it was stored. */
  readonly beside?: Pick<FileInfo, 'fileId' | 'revision'>
  readonly untold?: UntoldEvent | undefined
}

/** A save was stored. A finished one ends its session, a force save leaves it live. Saying so twice changes nothing. */
export function stored (record: FileRecord, save: StoredSave, { beside, untold }: Storing = {}): FileRecord {
  if (record.saves.some(one => isSameSave(one, save))) return record
  const session = sessionOf(record, save.key)
  const saved = {
    ...record,
    saves: latest([session?.refused === true ? unsure(save) : save, ...record.saves]),
    ...(untold && { untold: [...record.untold ?? [], untold].slice(-MAX_SAVES) })
  }
  if (save.status === 2) return givenUp(saved, save.key)
  if (isFinished(record, save)) return saved // its session ended while it was being stored
  const base = beside === undefined ? save.revision : session?.base
  return withLive(saved, {
    key: save.key,
    ...session,
    heard: save.at,
    ...(base !== undefined && { base }),
    ...(beside !== undefined && { conflictFileId: beside.fileId, conflictRevision: beside.revision })
  })
}

/** Under a key that was refused before the document server may have the refused copy still, whatever was saved since. */
function unsure ({ revision, ...save }: StoredSave): StoredSave {
  return save
}

/** The host has been told. */
export function told (record: FileRecord, id: string): FileRecord {
  const { untold = [], ...rest } = record
  const others = untold.filter(({ event }) => event.id !== id)
  return others.length === untold.length ? record : { ...rest, ...(others.length > 0 && { untold: others }) }
}

/** What a holder that ended left behind: its save counts if its content is the stored one. */
export function settled (record: FileRecord, revision: string | undefined): FileRecord {
  const { lock, ...rest } = record
  const { save, untold } = lock?.publishing ?? {}
  return save !== undefined && save.revision === revision ? stored(rest, save, { untold }) : rest
}

/**
 * `repeated`: the save was stored already. `overtaken`: it is older than what was, by the clock of the document server, and
 * storing it would bring old content back.
 */
export function outdated (record: FileRecord, save: SaveIdentity): 'repeated' | 'overtaken' | undefined {
  const ofSession = record.saves.filter(({ key }) => key === save.key)
  if (ofSession.some(one => isSameSave(one, save))) return 'repeated'
  if (save.status !== 6) return undefined
  const isOvertaken = ofSession.some(({ status, lastsave }) => status === 6 && isBefore(save.lastsave, lastsave))
  return isOvertaken || isFinished(record, save) ? 'overtaken' : undefined
}

function isSameSave (a: SaveIdentity, b: SaveIdentity): boolean {
  return a.key === b.key && a.status === b.status && a.path === b.path && a.lastsave === b.lastsave
}

/** The session has ended, and what is to be saved was in it then. */
function isFinished (record: FileRecord, { key, lastsave }: SaveIdentity): boolean {
  const finish = record.saves.find(save => save.status === 2 && save.key === key)
  return finish !== undefined && sessionOf(record, key) === undefined && !isBefore(finish.lastsave, lastsave)
}

/**
 * Whether the file was changed by someone else since the session's content was taken from it or stored in it. A session that
 * was saved for good and saves again, though nobody has told that it is live, may be one of another document server.
 */
export function isConflict (record: FileRecord, keys: DocumentKeys, key: string, content: FileInfo): boolean {
  const session = sessionOf(record, key)
  if (session?.conflictFileId !== undefined) return true
  if (session?.base !== undefined) return session.base !== content.revision
  const last = lastSave(record, key)
  if (last !== undefined) return last.status === 2 || last.revision !== content.revision
  // Nobody has told of this session. A key of ours says what it was opened with; another one says nothing.
  return keys.isFor(content.fileId, key) && !keys.isOf(content, key)
}

/**
 * Whether all changes of a save are newer than what was stored last under its key. Then the document server has lost its
 * session and opened the document anew: the save does not continue what was stored.
 */
export function isOpenedAnew (record: FileRecord, key: string, oldestChange: string | undefined): boolean {
  const last = lastSave(record, key)
  return last === undefined || isBefore(last.lastsave, oldestChange)
}

/** A long session has many force saves: they must not push out the finished saves before it. */
function latest (saves: readonly StoredSave[]): StoredSave[] {
  return saves.filter((save, index) => saves.slice(0, index).filter(({ status }) => status === save.status).length < MAX_SAVES)
}

function isBefore (a: string | undefined, b: string | undefined): boolean {
  return Date.parse(a ?? '') < Date.parse(b ?? '')
}
