import type { FileInfo } from '../../types/storage.js'
import type { DocumentKeys } from './document-key.js'
import { type FileRecord, finishedKeys, lastSave, type LiveSession, sessionOf } from './record.js'

/** More than one is rare: a page that was rendered long ago opens an old key. */
const MAX_LIVE = 8

const DOUBTFUL = 0

/** Someone is editing under this key, and what is stored is `content`. */
export function began (record: FileRecord, keys: DocumentKeys, key: string, content: FileInfo, now: number): FileRecord {
  const known = sessionOf(record, key)
  if (known !== undefined) return known.heard === DOUBTFUL ? record : heardOf(record, key, now)
  return withLive(record, opened(record, keys, key, content, now))
}

/** Under a key that was saved for good there may be nobody who edits, and nothing that was refused: another instance may have stored it. */
function opened (record: FileRecord, keys: DocumentKeys, key: string, content: FileInfo, now: number): LiveSession {
  return { key, heard: finishedKeys(record).has(key) ? DOUBTFUL : now, ...baseOf(record, keys, key, content) }
}

/** The document server has said that the session is live. */
export function heardOf (record: FileRecord, key: string, now: number): FileRecord {
  const known = sessionOf(record, key)
  return known === undefined ? record : withLive(record, { ...known, heard: now })
}

/** What the document server has under a key that is opened, when that can be told: it may have kept what it downloaded once. */
function baseOf (record: FileRecord, keys: DocumentKeys, key: string, content: FileInfo): Pick<LiveSession, 'base'> {
  const last = lastSave(record, key)
  const isKnown = last === undefined ? !keys.isFor(content.fileId, key) || keys.isOf(content, key) : last.revision === content.revision
  return isKnown ? { base: content.revision } : {}
}

/** Everybody has left and changed nothing. What was refused before is still with the document server, or was removed there. */
export function ended (record: FileRecord, key: string): FileRecord {
  const session = sessionOf(record, key)
  if (session === undefined) return record
  return session.refused === true ? withLive(record, { ...session, heard: DOUBTFUL }) : givenUp(record, key)
}

export function givenUp (record: FileRecord, key: string): FileRecord {
  return { ...record, live: record.live.filter(session => session.key !== key) }
}

/** The document server keeps what it could not hand over, under this key alone: the session stays until it is opened again. */
export function refused (record: FileRecord, keys: DocumentKeys, key: string, content: FileInfo, now: number): FileRecord {
  const known = sessionOf(record, key) ?? opened(record, keys, key, content, now)
  return known.refused === true ? record : withLive(record, { ...known, refused: true })
}

/**
 * Whether others may be sent to a session: only where they see what is stored, unless to bring back what was refused. The
 * sessions of another document server are not here.
 */
export function isJoinable ({ key, base, refused }: LiveSession, keys: DocumentKeys, content: FileInfo): boolean {
  return (base === content.revision || refused === true) && !keys.isOfAnotherServer(content.fileId, key)
}

export function isDoubtful ({ heard }: LiveSession): boolean {
  return heard === DOUBTFUL
}

/** Puts a session in its own place among the live ones, or behind them. */
export function withLive (record: FileRecord, session: LiveSession): FileRecord {
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
