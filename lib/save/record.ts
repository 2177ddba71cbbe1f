import type { FileInfo } from '../../types/storage.js'
import type { DocumentKeys } from './document-key.js'

/** What is remembered of a file: which editing sessions are live, which saves were stored last, which is being stored. */
export interface FileRecord {
  /** The one that everybody joins comes first. */
  readonly live: readonly LiveSession[]
  /** The latest ones, newest first. */
  readonly saves: readonly StoredSave[]
  /** Who is storing something. */
  readonly lock?: Lock
}

export interface LiveSession {
  readonly key: string
  /** Revision of the stored content that the session's content goes back to; absent when nobody knows. */
  readonly base?: string
  /** When the document server was heard of it last: milliseconds since the epoch. */
  readonly heard: number
  /** A save was refused: the document server opens the key again at once, also after it was saved. */
  readonly refused?: boolean
  /** Where the session's content goes since the stored file was changed by someone else. */
  readonly conflictFileId?: string
  /** Of that file as it was stored: with another one it holds what others have saved. */
  readonly conflictRevision?: string
}

/** What tells one save from another. */
export interface SaveIdentity {
  readonly key: string
  readonly status: 2 | 6
  /**
   * Path of the saved file at the document server. It stays the same when the document server repeats a callback; host,
   * md5 and expires do not. Absent when there was nothing to fetch.
   */
  readonly path?: string
  /** When the document was changed last, as the document server says it. The number in the path is random and short: it may come again. */
  readonly lastsave?: string
}

export interface StoredSave extends SaveIdentity {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** It came from a copy that was refused before: the document server opens the key again at once. */
  readonly reopens?: boolean
  /** Someone has edited under the key again: the document server has downloaded the document once since. */
  readonly reopened?: boolean
  /** Of the stored content; absent when it went elsewhere or nowhere. */
  readonly revision?: string
  /** Of the bytes of a force save. */
  readonly sha256?: string
}

export interface Lock {
  readonly id: string
  /** The process that holds it, where the storage can tell whether that has ended. */
  readonly owner?: string
  /** The content that is about to be published: should its holder end right now, the stored revision tells whether it was. */
  readonly publishing?: StoredSave
  /** Counts up while the holder is alive. */
  readonly beat: number
}

/** A repeat or a late force save comes within minutes, but other saves may come before it. This many are kept of each kind. */
const MAX_SAVES = 8

/** More than one is rare: a page that was rendered long ago opens an old key. */
const MAX_LIVE = 8

export const EMPTY: FileRecord = { live: [], saves: [] }

/** For so long nobody can edit under a key that was saved for good. Source: protocol, section 2. */
const VIEW_ONLY_MS = 300_000

/** Someone is editing under this key: unless that can't be, because it was saved for good a moment ago. */
export function began (record: FileRecord, key: string, base: string | undefined, now: number): FileRecord {
  const finish = finishOf(record, key)
  if (finish !== undefined && finish.reopens !== true && now - finish.at < VIEW_ONLY_MS) return record
  const known = record.live.find(session => session.key === key)
  if (known !== undefined) return withLive(record, { ...known, heard: now })
  const saves = record.saves.map(save => save === finish ? { ...save, reopened: true } : save)
  return withLive({ ...record, saves }, { key, heard: now, ...(base !== undefined && { base }) })
}

/** The session ended without anything to save. */
export function ended (record: FileRecord, key: string): FileRecord {
  return { ...record, live: record.live.filter(session => session.key !== key) }
}

/** A save was stored. A finished one ends its session, a force save leaves it live. */
export function stored (record: FileRecord, save: StoredSave, beside?: Pick<FileInfo, 'fileId' | 'revision'>): FileRecord {
  const session = record.live.find(({ key }) => key === save.key)
  const entry = save.status === 2 && session?.refused === true ? { ...save, reopens: true } : save
  const saved = { ...record, saves: latest([entry, ...record.saves]) }
  if (save.status === 2) return ended(saved, save.key)
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

/** The document server keeps what it could not hand over, under this key alone: the session stays until it is opened again. */
export function refused (record: FileRecord, key: string, base: string | undefined, now: number): FileRecord {
  const known = record.live.find(session => session.key === key) ?? { key, heard: now, ...(base !== undefined && { base }) }
  return known.refused === true ? record : withLive(record, { ...known, refused: true })
}

/** What a holder that ended left behind: its save counts if its content is the stored one. */
export function settled (record: FileRecord, revision: string | undefined): FileRecord {
  const { lock, ...rest } = record
  const publishing = lock?.publishing
  return publishing !== undefined && publishing.revision === revision ? stored(rest, publishing) : rest
}

/** The save was stored already, or it is older than what was: storing it would bring old content back. */
export function isOutdated (record: FileRecord, { key, status, path, lastsave }: SaveIdentity): boolean {
  const ofSession = record.saves.filter(save => save.key === key)
  const repeated = ofSession.some(save => save.status === status && save.path === path && save.lastsave === lastsave)
  const overtaken = ofSession.some(save => save.status === 6 && isBefore(lastsave, save.lastsave))
  return repeated || (status === 6 && (overtaken || isFinished(record, { key, lastsave })))
}

/** The session has ended, and what is to be saved was in it then. */
function isFinished (record: FileRecord, { key, lastsave }: Pick<SaveIdentity, 'key'> & { readonly lastsave?: string | undefined }): boolean {
  const finish = finishOf(record, key)
  return finish !== undefined && !isLive(record, key) && !isBefore(finish.lastsave, lastsave)
}

/** Whether the file was changed by someone else since the session's content was taken from it or stored in it. */
export function isConflict (record: FileRecord, keys: DocumentKeys, key: string, content: { readonly fileId: string, readonly revision: string }): boolean {
  const session = record.live.find(one => one.key === key)
  if (session?.conflictFileId !== undefined) return true
  if (session?.base !== undefined) return session.base !== content.revision
  if (record.saves.some(save => save.key === key && save.revision === content.revision)) return false
  // Nobody has told of this session. A key of ours says what it was opened with; another one says nothing.
  return keys.isFor(content.fileId, key) && !keys.isOf(content, key)
}

/**
 * Whether all changes of a save are newer than what was stored last under its key. Then the document server has lost its
 * session and opened the document anew: the save does not continue what was stored.
 */
export function isOpenedAnew ({ saves }: FileRecord, key: string, oldestChange: string | undefined): boolean {
  const last = saves.find(save => save.key === key)
  return last === undefined || isBefore(last.lastsave, oldestChange)
}

export function finishedKeys ({ saves }: FileRecord): Set<string> {
  return new Set(saves.filter(({ status }) => status === 2).map(({ key }) => key))
}

/**
 * Whether the document server downloads the document the next time the key is opened: once after it was saved for good. Should
 * that session end without a change, it keeps what it has.
 */
export function isDownloadedAnew (record: FileRecord, key: string): boolean {
  const finish = finishOf(record, key)
  return finish !== undefined && finish.reopened !== true
}

function finishOf ({ saves }: FileRecord, key: string): StoredSave | undefined {
  return saves.find(save => save.status === 2 && save.key === key)
}

export function isLive ({ live }: FileRecord, key: string): boolean {
  return live.some(session => session.key === key)
}

/** A long session has many force saves: they must not push out the finished saves before it. */
function latest (saves: readonly StoredSave[]): StoredSave[] {
  return saves.filter((save, index) => saves.slice(0, index).filter(({ status }) => status === save.status).length < MAX_SAVES)
}

function withLive (record: FileRecord, session: LiveSession): FileRecord {
  const others = record.live.filter(other => other.key !== session.key)
  const place = record.live.findIndex(other => other.key === session.key)
  const live = place === -1 ? [...others, session] : others.toSpliced(place, 0, session)
  return { ...record, live: live.length > MAX_LIVE ? live.filter(one => one !== leastMissed(others)) : live }
}

/** What was refused is with the document server alone, under its key. Nobody is sent to a session without a base. */
function leastMissed (sessions: readonly LiveSession[]): LiveSession | undefined {
  const ranked = sessions.toSorted((a, b) =>
    Number(a.refused === true) - Number(b.refused === true) ||
    Number(a.base !== undefined) - Number(b.base !== undefined) ||
    a.heard - b.heard)
  return ranked[0]
}

function isBefore (a: string | undefined, b: string | undefined): boolean {
  return Date.parse(a ?? '') < Date.parse(b ?? '')
}
