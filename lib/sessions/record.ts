import type { SavedEvent } from '../../types/events.js'

/** What is remembered of a file: which editing sessions are live, which saves were stored last, which is being published. */
export interface FileRecord {
  /** The one that everybody joins comes first. */
  readonly live: readonly LiveSession[]
  /** The latest ones, newest first. */
  readonly saves: readonly StoredSave[]
  /** Events of saves whose host has not been told, or has not finished listening. */
  readonly untold?: readonly UntoldEvent[]
  readonly lock?: Lock
}

export interface LiveSession {
  readonly key: string
  /** Revision of the stored content that the session's content goes back to; absent when nobody knows. */
  readonly base?: string
  /** When the document server was heard of it last: milliseconds since the epoch. 0 when there may be no such session, so that the document server is asked before anyone is sent there. */
  readonly heard: number
  /** A save was refused: the document server has its copy under this key alone. */
  readonly refused?: boolean
  /** Where the session's content goes since the stored file can't take it any more. */
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
  /** Of the stored content; absent when it went elsewhere or nowhere. */
  readonly revision?: string
}

export interface UntoldEvent {
  readonly event: SavedEvent
  /** The instance that has yet to tell it, and its process, where the storage can tell whether that has ended. */
  readonly teller: string
  readonly owner?: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface Lock {
  readonly id: string
  /** The process that holds it, where the storage can tell whether that has ended. */
  readonly owner?: string
  readonly publishing?: Publishing
}

/** What is about to be published: should its holder end right now, the stored revision tells whether it was. */
export interface Publishing {
  readonly save: StoredSave
  readonly untold?: UntoldEvent
  /** The storage's word for it. */
  readonly ticket?: string
}

export const EMPTY: FileRecord = { live: [], saves: [] }

export function finishedKeys ({ saves }: FileRecord): Set<string> {
  return new Set(saves.filter(({ status }) => status === 2).map(({ key }) => key))
}

export function sessionOf ({ live }: FileRecord, key: string): LiveSession | undefined {
  return live.find(session => session.key === key)
}

/** Newest of a key. */
export function lastSave ({ saves }: FileRecord, key: string): StoredSave | undefined {
  return saves.find(save => save.key === key)
}
