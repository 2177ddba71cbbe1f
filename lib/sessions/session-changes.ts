import { isDeepStrictEqual } from 'node:util'
import type { FileInfo } from '../../types/storage.js'
import type { DocumentKeys } from '../document-server/document-key.js'
import { type FileRecord, finishedKeys, lastSaveOf, type Session, sessionWith } from './record.js'
import { hasRefusedSave, type SessionEvent, stateOf, TRANSITIONS } from './session-states.js'

// Changes of the sessions in a record. Pure: each returns a new record, or the same one when nothing changes.

/** More than one is rare: a page that was rendered long ago opens an old key. */
const MAX_SESSIONS = 8

/** `lastReported` of a session about which the document server is asked before the next user joins. */
export const LONG_AGO = 0

type Fields = Partial<Omit<Session, 'key' | 'state'>>

/** An event of one session. `fields`: what else changes in a session that goes on. `begin`: makes a session that begins. */
export function sessionAfter (record: FileRecord, key: string, event: SessionEvent, fields: Fields = {}, begin?: () => Fields): FileRecord {
  const before = sessionWith(record, key)
  const state = TRANSITIONS[event][stateOf(record, key)]
  if (state === 'none' || state === 'finished') return before ? { ...record, sessions: record.sessions.filter(other => other !== before) } : record
  const session = { key, lastReported: LONG_AGO, ...before ?? begin?.(), ...fields, state }
  const changed = state === 'unconfirmed' ? { ...session, lastReported: LONG_AGO } : session
  return isDeepStrictEqual(before, changed) ? record : withSession(record, changed)
}

/** Status 1: users are editing under this key, or only their unsaved changes are left, and `content` is stored. */
export function sessionStarted (record: FileRecord, keys: DocumentKeys, key: string, content: FileInfo, now: number, { hasUsers }: { readonly hasUsers: boolean }): FileRecord {
  const event = !hasUsers ? 'unsaved' : finishedKeys(record).has(key) ? 'joinedLate' : 'joined'
  return sessionAfter(record, key, event, { lastReported: now }, () => baseOf(record, keys, key, content))
}

/** The document server keeps a refused save under its key only: the session stays until it is opened again. */
export function saveRefused (record: FileRecord, keys: DocumentKeys, key: string, content: FileInfo, now: number): FileRecord {
  return sessionAfter(record, key, 'refused', { isAheadOfRefused: false }, () => ({
    lastReported: finishedKeys(record).has(key) ? LONG_AGO : now,
    ...baseOf(record, keys, key, content)
  }))
}

/** The revision that a new session is based on, if that is certain: the document server may have opened content that it downloaded earlier. */
function baseOf (record: FileRecord, keys: DocumentKeys, key: string, content: FileInfo): Pick<Session, 'baseRevision'> {
  const last = lastSaveOf(record, key)
  const isCertain = last === undefined ? !keys.isForFile(content.fileId, key) || keys.isForContent(content, key) : last.revision === content.revision
  return isCertain ? { baseRevision: content.revision } : {}
}

/** Whether new users may join: if they then see the stored content, or bring back a refused save. */
export function isJoinable (session: Session, keys: DocumentKeys, content: FileInfo): boolean {
  return (session.baseRevision === content.revision || hasRefusedSave(session)) && !keys.isForAnotherServer(content.fileId, session.key)
}

/** Replaces the session with this key, or appends it. */
function withSession (record: FileRecord, session: Session): FileRecord {
  const others = record.sessions.filter(other => other.key !== session.key)
  const index = record.sessions.findIndex(other => other.key === session.key)
  const sessions = index === -1 ? [...others, session] : others.toSpliced(index, 0, session)
  return { ...record, sessions: sessions.length > MAX_SESSIONS ? sessions.filter(one => one !== leastImportant(others)) : sessions }
}

/** A refused save exists only at the document server, under its key. New users do not join a session without a base. */
function leastImportant (sessions: readonly Session[]): Session | undefined {
  const ranked = sessions.toSorted((a, b) =>
    Number(hasRefusedSave(a)) - Number(hasRefusedSave(b)) ||
    Number(a.baseRevision !== undefined) - Number(b.baseRevision !== undefined) ||
    a.lastReported - b.lastReported)
  return ranked[0]
}
