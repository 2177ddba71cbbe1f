import type { FileInfo } from '../../types/storage.js'
import type { DocumentKeys } from './document-key.js'
import { type FileRecord, finishedKeys, lastSaveOf, type Session, sessionWith, UNCONFIRMED } from './record.js'

// Changes of the live sessions in a record. Pure: each returns a new record, or the same one when nothing changes.

/** More than one is rare: a page that was rendered long ago opens an old key. */
const MAX_SESSIONS = 8

/** Status 1: users are editing under this key, or only their unsaved changes are left, and `content` is stored. */
export function sessionStarted (record: FileRecord, keys: DocumentKeys, key: string, content: FileInfo, now: number, { hasUsers }: { readonly hasUsers: boolean }): FileRecord {
  const session = sessionWith(record, key)
  if (session === undefined) {
    // The unsaved changes are in the final save, whose answer the document server has not got yet.
    if (!hasUsers && finishedKeys(record).has(key)) return record
    const started = newSession(record, keys, key, content, now)
    return withSession(record, hasUsers ? started : dormant(started))
  }
  if (isUnconfirmed(session)) return hasUsers && session.isDormant === true && session.hasRefusedSave === true ? withSession(record, awake(session)) : record
  return withSession(record, { ...hasUsers ? awake(session) : session, lastReported: now })
}

/** The report may be late if the key already had its final save: the session may no longer exist. */
function newSession (record: FileRecord, keys: DocumentKeys, key: string, content: FileInfo, now: number): Session {
  const session = { key, lastReported: now, ...baseOf(record, keys, key, content) }
  return finishedKeys(record).has(key) ? dormant(unconfirmed(session)) : session
}

function dormant (session: Session): Session {
  return { ...session, isDormant: true }
}

function awake ({ isDormant, ...session }: Session): Session {
  return session
}

/** The revision that a new session is based on, if that is certain: the document server may have opened content that it downloaded earlier. */
function baseOf (record: FileRecord, keys: DocumentKeys, key: string, content: FileInfo): Pick<Session, 'baseRevision'> {
  const last = lastSaveOf(record, key)
  const isCertain = last === undefined ? !keys.isForFile(content.fileId, key) || keys.isForContent(content, key) : last.revision === content.revision
  return isCertain ? { baseRevision: content.revision } : {}
}

/** The document server reported that the session is live. */
export function sessionConfirmed (record: FileRecord, key: string, now: number): FileRecord {
  const session = sessionWith(record, key)
  return session === undefined ? record : withSession(record, confirmed(session, now))
}

/** A session that may not have existed is live. One with a refused save may exist without anybody who edits. */
export function confirmed (session: Session, now: number): Session {
  return { ...isUnconfirmed(session) && session.hasRefusedSave !== true ? awake(session) : session, lastReported: now }
}

/** A session that may have ended: the document server is asked before another user gets its key. */
export function unconfirmed (session: Session): Session {
  return { ...session, lastReported: UNCONFIRMED }
}

/** Status 4: everybody has left and nothing was changed. A save that was refused earlier may still be at the document server. */
export function sessionClosed (record: FileRecord, key: string): FileRecord {
  const session = sessionWith(record, key)
  if (session === undefined) return record
  return session.hasRefusedSave === true ? withSession(record, dormant(unconfirmed(session))) : sessionRemoved(record, key)
}

/** Everybody has left, and the file does not exist. If it is put back, the session may be opened again. */
export function sessionDormant (record: FileRecord, key: string): FileRecord {
  const session = sessionWith(record, key)
  return session === undefined || session.isDormant === true ? record : withSession(record, dormant(session))
}

export function sessionRemoved (record: FileRecord, key: string): FileRecord {
  return { ...record, sessions: record.sessions.filter(session => session.key !== key) }
}

/** The document server keeps a refused save under its key only: the session stays until it is opened again. */
export function saveRefused (record: FileRecord, keys: DocumentKeys, key: string, content: FileInfo, now: number): FileRecord {
  const session = sessionWith(record, key) ?? newSession(record, keys, key, content, now)
  return session.hasRefusedSave === true && session.isDormant === true ? record : withSession(record, dormant({ ...session, hasRefusedSave: true }))
}

/** Whether new users may join: if they then see the stored content, or bring back a refused save. */
export function isJoinable ({ key, baseRevision, hasRefusedSave }: Session, keys: DocumentKeys, content: FileInfo): boolean {
  return (baseRevision === content.revision || hasRefusedSave === true) && !keys.isForAnotherServer(content.fileId, key)
}

export function isUnconfirmed ({ lastReported }: Session): boolean {
  return lastReported === UNCONFIRMED
}

/** Replaces the session with this key, or appends it. */
export function withSession (record: FileRecord, session: Session): FileRecord {
  const others = record.sessions.filter(other => other.key !== session.key)
  const index = record.sessions.findIndex(other => other.key === session.key)
  const sessions = index === -1 ? [...others, session] : others.toSpliced(index, 0, session)
  return { ...record, sessions: sessions.length > MAX_SESSIONS ? sessions.filter(one => one !== leastImportant(others)) : sessions }
}

/** A refused save exists only at the document server, under its key. New users do not join a session without a base. */
function leastImportant (sessions: readonly Session[]): Session | undefined {
  const ranked = sessions.toSorted((a, b) =>
    Number(a.hasRefusedSave === true) - Number(b.hasRefusedSave === true) ||
    Number(a.baseRevision !== undefined) - Number(b.baseRevision !== undefined) ||
    a.lastReported - b.lastReported)
  return ranked[0]
}
