import { isDeepStrictEqual } from 'node:util'
import type { StoredDocument } from '../../types/storage.js'
import type { DocumentKeys } from '../document-server/document-key.js'
import type { Hold, Refusal, SessionRecord, SaveIdentity, Session, StoredSave } from './record.schema.js'

export { isSessionRecord } from './record.compiled.js'
export type {
  SessionRecord, ForceSave, ForceSaveResult, Hold, Refusal, SaveIdentity, Session, StoredSave
} from './record.schema.js'

export const EMPTY: SessionRecord = { format: 1, sessions: [], saves: [] }

export function sessionWith ({ sessions }: SessionRecord, key: string): Session | undefined {
  return sessions.find(session => session.key === key)
}

export function lastSaveOf ({ saves }: SessionRecord, key: string): StoredSave | undefined {
  return saves.find(save => save.key === key)
}

export function finishedKeys ({ saves }: SessionRecord): Set<string> {
  return new Set(saves.filter(({ status }) => status === 2).map(({ key }) => key))
}

export function isSameSave (a: SaveIdentity, b: SaveIdentity): boolean {
  return a.key === b.key && a.status === b.status && a.path === b.path && a.lastsave === b.lastsave
}

/**
 * The state of a session according to the record of its file. `none`: the key is not in the record. `open`: users are
 * editing. `unconfirmed`: it may have ended, or never have begun; the document server must be asked. `refused`: the
 * document server has a save that was refused, and nobody is editing. `reopened`: users are editing what was refused.
 * `finished`: its final save is stored.
 */
export type SessionState = Session['state'] | 'none' | 'finished'

/** A row of the table: the next state for each state. */
function to (
  none: SessionState, open: SessionState, unconfirmed: SessionState, refused: SessionState, reopened: SessionState,
  finished: SessionState
): Readonly<Record<SessionState, SessionState>> {
  return { none, open, unconfirmed, refused, reopened, finished }
}

/**
 * The events of a session, with the next state for each state: `none`, `open`, `unconfirmed`, `refused`, `reopened`,
 * `finished`. `none` becomes `finished` if the record contains a final save of the session.
 */
export const TRANSITIONS = {
  /** Status 1: users are editing. */
  joined: to('open', 'open', 'open', 'reopened', 'reopened', 'unconfirmed'),
  /** Status 1 after the final save: the report may be late. */
  joinedLate: to('open', 'open', 'unconfirmed', 'reopened', 'reopened', 'unconfirmed'),
  /** Status 1 without users: only unsaved changes are left. A stored final save contains them. */
  unsaved: to('unconfirmed', 'open', 'unconfirmed', 'refused', 'reopened', 'finished'),
  /** Status 4: everybody has left, and nothing was changed. */
  closed: to('none', 'none', 'none', 'refused', 'refused', 'finished'),
  /** A force save is stored. */
  forceSaved: to('open', 'open', 'open', 'refused', 'reopened', 'open'),
  /** The final save is stored, and the document server waits for the answer. */
  saved: to('finished', 'finished', 'finished', 'finished', 'finished', 'finished'),
  /** The final save is stored, but the document server has stopped waiting: it believes that the save failed. */
  savedUnheard: to('unconfirmed', 'unconfirmed', 'unconfirmed', 'refused', 'refused', 'unconfirmed'),
  /** A stored final save was repeated, and acknowledged. */
  repeated: to('none', 'open', 'finished', 'refused', 'reopened', 'finished'),
  /** A save was refused, or the document server could not make one: it keeps the changes. */
  refused: to('refused', 'refused', 'refused', 'refused', 'refused', 'refused'),
  /** Everybody has left, and the file does not exist, but may be put back. */
  deleted: to('none', 'unconfirmed', 'unconfirmed', 'refused', 'refused', 'finished'),
  /** The document server answers that users are editing. */
  edited: to('none', 'open', 'open', 'reopened', 'reopened', 'finished'),
  /**
   * The document server answers that it has something under the key, or gives no answer. Or an instance delayed a final
   * save while its session continued.
   */
  known: to('none', 'open', 'unconfirmed', 'refused', 'reopened', 'finished'),
  /**
   * The document server answers that it does not know the key, or that it has only a forgotten file older than what is
   * stored.
   */
  unknown: to('none', 'none', 'none', 'none', 'none', 'finished')
}

export type SessionEvent = keyof typeof TRANSITIONS

export function stateOf (record: SessionRecord, key: string): SessionState {
  return sessionWith(record, key)?.state ?? (finishedKeys(record).has(key) ? 'finished' : 'none')
}

/** Whether users are editing, as far as is known. */
export function isLive ({ state }: Session): boolean {
  return state === 'open' || state === 'reopened'
}

export function liveSessions ({ sessions }: SessionRecord): readonly Session[] {
  return sessions.filter(isLive)
}

/** Whether a save of the session exists only at the document server, under its key. */
export function hasRefusedSave ({ state }: Session): boolean {
  return state === 'refused' || state === 'reopened'
}

// Changes of the sessions in a record. Pure: each returns a new record, or the same one when nothing changes.

/** More than one session is rare: a page that was rendered long ago opens an old key. */
const MAX_SESSIONS = 8

/** `lastReported` of a session that the document server must confirm before the next user joins. */
export const LONG_AGO = 0

type Fields = Partial<Omit<Session, 'key' | 'state'>>

/**
 * Applies an event to one session. `fields`: further changes to a session that continues. `begin`: the fields of a new
 * session.
 */
export function sessionAfter (
  record: SessionRecord, key: string, event: SessionEvent, fields: Fields = {}, begin?: () => Fields
): SessionRecord {
  const before = sessionWith(record, key)
  const state = TRANSITIONS[event][stateOf(record, key)]
  if (state === 'none' || state === 'finished') {
    return before
      ? { ...withoutFrozenKey(record, key), sessions: record.sessions.filter(other => other !== before) }
      : record
  }
  const session = { key, lastReported: LONG_AGO, ...before ?? begin?.(), ...fields, state }
  const changed = state === 'unconfirmed' ? { ...session, lastReported: LONG_AGO } : session
  if (isDeepStrictEqual(before, changed)) return record
  // A key may come back after its session was lost.
  const known = before ? record : withoutRefusals(record, refusal => refusal.key === key)
  // The users who open a refused save again join later.
  return withSession(before?.state === 'refused' && state === 'reopened' ? withoutFrozenKey(known, key) : known, changed)
}

/** A session that begins under the key of one that has ended is another one. */
function withoutFrozenKey (record: SessionRecord, key: string): SessionRecord {
  const { frozen } = record
  return frozen ? { ...record, frozen: { ...frozen, keys: frozen.keys.filter(other => other !== key) } } : record
}

/** Removes the refusals that are over. */
export function withoutRefusals (record: SessionRecord, isOver: (refusal: Refusal) => boolean): SessionRecord {
  const { refusals = [], ...rest } = record
  const others = refusals.filter(refusal => !isOver(refusal))
  return others.length === refusals.length ? record : { ...rest, ...(others.length > 0 && { refusals: others }) }
}

/**
 * Status 1: users are editing under this key, or only their unsaved changes are left, and `content` is stored.
 * `isAlone`: all of them have just joined.
 */
export function sessionStarted (
  record: SessionRecord, keys: DocumentKeys, key: string, content: StoredDocument, now: number,
  { hasUsers, isAlone }: { readonly hasUsers: boolean, readonly isAlone: boolean }
): SessionRecord {
  const event = !hasUsers ? 'unsaved' : finishedKeys(record).has(key) ? 'joinedLate' : 'joined'
  const known = isAlone && mayBeginAnew(record, key) ? withoutBase(record, key) : record
  const started = sessionAfter(known, key, event, { lastReported: now }, () => baseOf(record, keys, key, content))
  return withFrozenOut(started, key, now)
}

/**
 * Whether a user who is alone in a session may see content that was refused before its latest save. After a crash, the
 * document server opens that content again, and its later saves look the same as saves from before.
 */
export function mayBeginAnew (record: SessionRecord, key: string): boolean {
  const session = sessionWith(record, key)
  return session !== undefined && (session.isAheadOfRefused === true || isOfForgotten(lastSaveOf(record, key)))
}

/** Whether the session of a save was opened from a forgotten file: then it lists no changes. */
function isOfForgotten (save: StoredSave | undefined): boolean {
  return save !== undefined && save.firstChange === undefined
}

/** What the session saves next becomes a conflict copy. */
function withoutBase (record: SessionRecord, key: string): SessionRecord {
  return {
    ...record,
    sessions: record.sessions.map(session => {
      const { baseRevision, conflictFileId, conflictRevision, ...others } = session
      return session.key === key ? others : session
    })
  }
}

/**
 * The document server keeps a refused save only under its key, so the session stays until it is opened again.
 * `isHeard`: the document server learns of the refusal. If not, it may have crashed, and have only content that was
 * refused earlier: saves of a session that was opened from that content list no changes.
 */
export function saveRefused (
  record: SessionRecord, keys: DocumentKeys, key: string, content: StoredDocument, now: number,
  { isHeard }: { readonly isHeard: boolean }
): SessionRecord {
  const isAhead = isOfForgotten(lastSaveOf(record, key))
  const fields = isHeard ? { isAheadOfRefused: false } : isAhead ? { isAheadOfRefused: true } : {}
  const refused = sessionAfter(record, key, 'refused', fields, () => ({
    lastReported: finishedKeys(record).has(key) ? LONG_AGO : now,
    ...baseOf(record, keys, key, content)
  }))
  return withFrozenOut(refused, key, now)
}

/**
 * The revision that a new session is based on, if certain: the document server may have opened content that it
 * downloaded earlier.
 */
function baseOf (
  record: SessionRecord, keys: DocumentKeys, key: string, content: StoredDocument
): Pick<Session, 'baseRevision'> {
  const last = lastSaveOf(record, key)
  const isCertain = last === undefined
    ? !keys.isForFile(content.fileId, key) || keys.isForContent(content, key)
    : last.revision === content.revision
  return isCertain ? { baseRevision: content.revision } : {}
}

/** Whether new users may join: they would see the stored content, or bring back a refused save. */
export function isJoinable (session: Session, keys: DocumentKeys, content: StoredDocument): boolean {
  return session.isFrozenOut !== true && (session.baseRevision === content.revision || hasRefusedSave(session)) &&
    !keys.isForAnotherServer(content.fileId, session.key)
}

/** Replaces the session with this key, or appends it. */
function withSession (record: SessionRecord, session: Session): SessionRecord {
  const others = record.sessions.filter(other => other.key !== session.key)
  const index = record.sessions.findIndex(other => other.key === session.key)
  const sessions = index === -1 ? [...others, session] : others.toSpliced(index, 0, session)
  return {
    ...record,
    sessions: sessions.length > MAX_SESSIONS ? sessions.filter(one => one !== leastImportant(others)) : sessions
  }
}

/**
 * Refused saves rank highest: they exist only at the document server, under their key. Sessions without a base rank
 * lowest: new users do not join them.
 */
function leastImportant (sessions: readonly Session[]): Session | undefined {
  const ranked = sessions.toSorted((a, b) =>
    Number(hasRefusedSave(a)) - Number(hasRefusedSave(b)) ||
    Number(a.baseRevision !== undefined) - Number(b.baseRevision !== undefined) ||
    a.lastReported - b.lastReported)
  return ranked[0]
}

// Whether a document is frozen: nobody may begin to edit it.

/** The holds that have not expired; a document without any is not frozen. Oldest first. */
export function holdsOf ({ frozen }: SessionRecord, now: number): readonly Hold[] {
  return frozen?.holds.filter(({ until = Infinity }) => until > now) ?? []
}

/**
 * Adds a hold, or replaces the hold with the same `by`. `unreported`: keys under which users may be editing although
 * the record has no such session.
 */
export function frozenBy (
  record: SessionRecord, hold: Hold, now: number, unreported: readonly string[]
): SessionRecord {
  const holds = holdsOf(record, now)
  const isRenewed = holds.some(({ by }) => by === hold.by)
  return {
    ...record,
    frozen: {
      holds: isRenewed
        ? holds.map(other => other.by === hold.by ? { ...hold, since: other.since } : other)
        : [...holds, hold],
      keys: holds.length > 0 ? record.frozen!.keys : [...record.sessions.map(({ key }) => key), ...unreported]
    }
  }
}

export function releasedBy (record: SessionRecord, by: string, now: number): SessionRecord {
  const { frozen, ...rest } = record
  if (!frozen) return record
  const holds = holdsOf(record, now).filter(hold => hold.by !== by)
  return holds.length > 0 ? { ...rest, frozen: { ...frozen, holds } } : rest
}

/** Removes the right of sessions to change the frozen file: of all sessions, or of all that are not in the record. */
export function withoutFrozenKeys (
  record: SessionRecord, { exceptNoted }: { readonly exceptNoted: boolean }
): SessionRecord {
  const { frozen } = record
  const keys = frozen?.keys.filter(key => exceptNoted && sessionWith(record, key) !== undefined)
  return keys === undefined || keys.length === frozen!.keys.length
    ? record
    : { ...record, frozen: { ...frozen!, keys } }
}

/** Whether a save must not change the file: its session began when the document was frozen. */
export function isFrozenOut (record: SessionRecord, key: string, now: number): boolean {
  return sessionWith(record, key)?.isFrozenOut === true ||
    (holdsOf(record, now).length > 0 && !record.frozen!.keys.includes(key))
}

/** Notes that a session is frozen out, which it stays after the release. */
function withFrozenOut (record: SessionRecord, key: string, now: number): SessionRecord {
  const session = sessionWith(record, key)
  return session === undefined || session.isFrozenOut === true || !isFrozenOut(record, key, now)
    ? record
    : withSession(record, { ...session, isFrozenOut: true })
}
