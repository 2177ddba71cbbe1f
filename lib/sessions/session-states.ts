import { type FileRecord, finishedKeys, type Session, sessionWith } from './record.js'

/**
 * The state of a session, as the record of its file tells it. `none`: nothing is known of the key. `open`: users are editing.
 * `unconfirmed`: it may have ended, or never have begun; the document server is asked. `refused`: the document server has a save that
 * was refused, and nobody is editing. `reopened`: users are editing what was refused. `finished`: its final save is stored.
 */
export type SessionState = Session['state'] | 'none' | 'finished'

/**
 * What happens to a session, and the state that follows. Where the table says `none`, it is `finished` if a final save of the session
 * is noted. docs/sessions.md explains it.
 */
export const TRANSITIONS = {
  /** Status 1: users are editing. */
  joined: { none: 'open', open: 'open', unconfirmed: 'open', refused: 'reopened', reopened: 'reopened', finished: 'unconfirmed' },
  /** The same after the final save: the report may be late. */
  joinedLate: { none: 'open', open: 'open', unconfirmed: 'unconfirmed', refused: 'reopened', reopened: 'reopened', finished: 'unconfirmed' },
  /** Status 1 without users: only unsaved changes are left. After the final save, they are part of that. */
  unsaved: { none: 'unconfirmed', open: 'open', unconfirmed: 'unconfirmed', refused: 'refused', reopened: 'reopened', finished: 'finished' },
  /** Status 4: everybody has left, and nothing was changed. */
  closed: { none: 'none', open: 'none', unconfirmed: 'none', refused: 'refused', reopened: 'refused', finished: 'finished' },
  /** A force save is stored. */
  forceSaved: { none: 'open', open: 'open', unconfirmed: 'open', refused: 'refused', reopened: 'reopened', finished: 'open' },
  /** The final save is stored, and the document server waits for the answer. */
  saved: { none: 'finished', open: 'finished', unconfirmed: 'finished', refused: 'finished', reopened: 'finished', finished: 'finished' },
  /** The same, but the document server has stopped waiting: it believes that the save failed. */
  savedUnheard: { none: 'unconfirmed', open: 'unconfirmed', unconfirmed: 'unconfirmed', refused: 'refused', reopened: 'refused', finished: 'unconfirmed' },
  /** An instance held up a final save while its session went on. */
  savedLate: { none: 'finished', open: 'open', unconfirmed: 'unconfirmed', refused: 'refused', reopened: 'reopened', finished: 'finished' },
  /** A stored final save was repeated, and acknowledged. */
  repeated: { none: 'none', open: 'open', unconfirmed: 'finished', refused: 'refused', reopened: 'reopened', finished: 'finished' },
  /** A save was refused, or the document server could not make one: it keeps the changes. */
  refused: { none: 'refused', open: 'refused', unconfirmed: 'refused', refused: 'refused', reopened: 'refused', finished: 'refused' },
  /** Everybody has left, and the file does not exist. It may be put back. */
  deleted: { none: 'none', open: 'unconfirmed', unconfirmed: 'unconfirmed', refused: 'refused', reopened: 'refused', finished: 'finished' },
  /** The document server, asked, says that users are editing. */
  edited: { none: 'none', open: 'open', unconfirmed: 'open', refused: 'reopened', reopened: 'reopened', finished: 'finished' },
  /** It says that it has something under the key, or gives no answer. */
  known: { none: 'none', open: 'open', unconfirmed: 'unconfirmed', refused: 'refused', reopened: 'reopened', finished: 'finished' },
  /** It says that it does not know the key, or that it has only a forgotten file that is older than what is stored. */
  unknown: { none: 'none', open: 'none', unconfirmed: 'none', refused: 'none', reopened: 'none', finished: 'finished' },
  /** An earlier version was restored. */
  restored: { none: 'none', open: 'open', unconfirmed: 'unconfirmed', refused: 'none', reopened: 'reopened', finished: 'finished' }
} as const satisfies Record<string, Readonly<Record<SessionState, SessionState>>>

export type SessionEvent = keyof typeof TRANSITIONS

export function stateOf (record: FileRecord, key: string): SessionState {
  return sessionWith(record, key)?.state ?? (finishedKeys(record).has(key) ? 'finished' : 'none')
}

/** Whether users are editing, as far as is known. */
export function isLive ({ state }: Session): boolean {
  return state === 'open' || state === 'reopened'
}

export function liveSessions ({ sessions }: FileRecord): readonly Session[] {
  return sessions.filter(isLive)
}

/** Whether only the document server has a save of the session, under its key. */
export function hasRefusedSave ({ state }: Session): boolean {
  return state === 'refused' || state === 'reopened'
}
