import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../types/options.js'
import type { FileInfo, Storage } from '../../types/storage.js'
import type { Commands } from '../document-server/commands.js'
import type { DocumentKeys } from './document-key.js'
import type { Locks } from './locks.js'
import { type FileRecord, finishedKeys, type Session, sessionWith } from './record.js'
import { type Cause, fileAt, NOT_DURABLE, type RecordStore } from './record-store.js'
import { isJoinable, LONG_AGO, saveRefused, sessionAfter, sessionStarted } from './session-changes.js'
import { isLive } from './session-states.js'
import { deadLockRemoved, saveStored } from './stored-saves.js'

/**
 * The editing sessions of files, as callbacks report them. Everyone who opens a file with a live session must get that
 * session's key, also after a force save changed the content: with different keys two groups would edit two copies.
 */
export interface Sessions {
  /** The document key for a user who opens this content now. */
  keyFor (content: FileInfo): Promise<string>
  /** Status 1: users are editing under this key. If there are none, unsaved changes are left. */
  started (fileId: string, key: string, users: Users): Promise<void>
  /** A final save was repeated that is stored already: now the document server gets an answer, and ends the session. */
  finished (fileId: string, key: string, users: Users): Promise<void>
  /** Status 4: the session ended without changes. */
  closed (fileId: string, key: string): Promise<void>
  /** The document server ended the session, and there is nothing to store. */
  discarded (fileId: string, key: string, users: Users): Promise<void>
  /** A save of the session was refused: the document server keeps it under this key. */
  saveRefused (fileId: string, key: string, users: Users): Promise<void>
  /** Asks the document server whether it still knows a session, unless that is another server's, and gives it up otherwise. Call it as `Commands.lookUp`. */
  giveUpIfUnknown (fileId: string, session: Session): Promise<void>
}

/** As the document server reported them. */
type Users = readonly string[] | undefined

interface Dependencies {
  readonly storage: Pick<Storage, 'stat'>
  readonly recordStore: RecordStore
  readonly locks: Pick<Locks, 'breakIfDead'>
  readonly keys: DocumentKeys
  /** Asks the document server whether it knows a key. Resolves to `undefined` when it gives no usable answer. */
  readonly lookUp: Commands['lookUp']
  /** If a session was last reported more milliseconds ago, the document server is asked about it before another user gets its key. */
  readonly askAfter: number
  readonly clock: Clock
  /** Is told of a session that ended without a note of it, because its file does not exist. */
  readonly onEndOfDeleted: (fileId: string, cause: Cause) => void
}

/** How often per `askAfter`, at most, a repeated report of a session is noted. */
const NOTES_PER_ASK = 10

/** Between two questions to the document server about a session that new users do not join. */
const SUSPECT_INTERVAL_MS = 60_000
const MAX_SUSPECTS = 10_000

const MAX_LOOKS = 20

/** Of the document server, about a session that somebody is about to join. */
const ANSWER_WITHIN_MS = 1000

export function createSessions ({ storage, recordStore, locks, keys, lookUp, askAfter, clock, onEndOfDeleted }: Dependencies): Sessions {
  const lookUpOnce = shared(lookUp)

  /** By key: when the document server was last asked about a suspect. */
  const suspects = new Map<string, number>()

  return {
    async keyFor (content) {
      const { fileId } = content
      const deadKeys = new Set<string>()
      for (;;) {
        const { record, current } = await look(content)
        for (const session of record.sessions) if (isSuspect(session, current)) isStillLive(fileId, session).catch(() => {})
        const session = record.sessions.find(one => isJoinable(one, keys, current) && !deadKeys.has(one.key))
        if (session === undefined) {
          return keys.of(current, finishedKeys(record))
        } else if (isRecent(session) || await inTime(isStillLive(fileId, session), !isUnconfirmed(session))) {
          return session.key
        } else {
          deadKeys.add(session.key)
        }
      }
    },

    async started (fileId, key, users) {
      const hasUsers = users?.length !== 0
      const isJustNoted = (record: FileRecord) => {
        const session = sessionWith(record, key)
        return session !== undefined && (isLive(session) || !hasUsers) && clock.now() - session.lastReported < askAfter / NOTES_PER_ASK
      }
      const snapshot = await recordStore.read(fileId)
      if (isJustNoted(snapshot.record)) return
      const content = await fileAt(snapshot, fileId, storage)
      if (content === null) return
      await recordStore.update(fileId, record => isJustNoted(record) ? record : sessionStarted(record, keys, key, content, clock.now(), { hasUsers }), {
        ...NOT_DURABLE,
        snapshot,
        cause: { key, users }
      })
    },

    async finished (fileId, key, users) {
      await recordStore.update(fileId, record => sessionAfter(record, key, 'repeated'), { ...NOT_DURABLE, cause: { key, users, reason: 'saved' } })
    },

    async closed (fileId, key) {
      const cause = { key, reason: 'unchanged' } as const
      let isNoted = false
      await recordStore.update(fileId, record => {
        isNoted = sessionWith(record, key) !== undefined
        return sessionAfter(record, key, 'closed', { lastReported: LONG_AGO })
      }, { ...NOT_DURABLE, cause })
      if (!isNoted && await storage.stat(fileId) === null) onEndOfDeleted(fileId, cause)
    },

    async discarded (fileId, key, users) {
      const cause = { key, users, reason: 'discarded' } as const
      if (await storage.stat(fileId) === null) return await endedAfterDeletion(fileId, cause)
      await recordStore.update(fileId, record => finishedKeys(record).has(key) ? record : saveStored(record, { key, status: 2, storedAt: clock.now() }), { cause })
    },

    async saveRefused (fileId, key, users) {
      const cause = { key, users, reason: 'refused' } as const
      const snapshot = await recordStore.read(fileId)
      const content = await fileAt(snapshot, fileId, storage)
      if (content === null) return await endedAfterDeletion(fileId, cause)
      await recordStore.update(fileId, record => saveRefused(record, keys, key, content, clock.now()), { snapshot, cause })
    },

    async giveUpIfUnknown (fileId, session) {
      if (!keys.isForAnotherServer(fileId, session.key)) await isStillLive(fileId, session)
    }
  }

  /** The record was usually deleted together with the file. Without it a repeated report cannot be recognized. */
  async function endedAfterDeletion (fileId: string, cause: Cause): Promise<void> {
    let isNoted = false
    await recordStore.update(fileId, record => {
      isNoted = sessionWith(record, cause.key) !== undefined
      return sessionAfter(record, cause.key, 'deleted')
    }, { ...NOT_DURABLE, cause })
    if (!isNoted) onEndOfDeleted(fileId, cause)
  }

  /** Reads the record and the file's info so that they belong together: the record did not change in between. */
  async function look (content: FileInfo): Promise<{ record: FileRecord, current: FileInfo }> {
    const { fileId } = content
    for (let looks = 1; ; looks++) {
      const before = await recordStore.read(fileId)
      if (before.info !== undefined && before.record.lock === undefined) return { record: before.record, current: before.info ?? content }
      await locks.breakIfDead(fileId, before).catch(() => {})
      const current = await storage.stat(fileId) ?? content
      const { record, version } = await recordStore.read(fileId)
      if (version === before.version || looks === MAX_LOOKS) return { record: deadLockRemoved(record, current.revision), current }
    }
  }

  function isRecent (session: Session): boolean {
    return !isUnconfirmed(session) && clock.now() - session.lastReported < askAfter
  }

  /** Whether the file was changed from outside during the session, and the document server was not asked about it recently. */
  function isSuspect ({ key, baseRevision }: Session, { fileId, revision }: FileInfo): boolean {
    if (baseRevision === undefined || baseRevision === revision || keys.isForAnotherServer(fileId, key)) return false
    if (clock.now() - (suspects.get(key) ?? -Infinity) < SUSPECT_INTERVAL_MS) return false
    if (suspects.size > MAX_SUSPECTS) suspects.clear()
    suspects.set(key, clock.now())
    return true
  }

  /** Asks the document server and notes the answer. If that cannot be noted, the document can be opened all the same. */
  async function isStillLive (fileId: string, session: Session): Promise<boolean> {
    const { key } = session
    const answer = await lookUpOnce(key)
    if (answer === undefined && isUnconfirmed(session)) return false
    const record = await recordStore.update(fileId, record => {
      if (answer !== 'unknown') return sessionAfter(record, key, answer ?? 'known', { lastReported: clock.now() })
      return isReportedSince(record, session) ? record : sessionAfter(record, key, 'unknown')
    }, { ...NOT_DURABLE, cause: { key, reason: 'lost' } }).catch(() => undefined)
    // A callback may have reported meanwhile that everybody has left, or that a user has joined.
    return record === undefined ? answer !== 'unknown' : sessionWith(record, key) !== undefined
  }
}

/** Such a session is joined only if the document server says that it knows it. */
function isUnconfirmed ({ state }: Session): boolean {
  return state === 'unconfirmed'
}

/** Whoever opens a document does not wait long for the document server: the question goes on, for those who come later. */
async function inTime (answer: Promise<boolean>, otherwise: boolean): Promise<boolean> {
  const waiting = new AbortController()
  try {
    return await Promise.race([answer, delay(ANSWER_WITHIN_MS, otherwise, { ref: false, signal: waiting.signal })])
  } finally {
    waiting.abort()
  }
}

/** If many users open a document at once, the document server is asked once. */
function shared<Answer> (ask: (key: string) => Promise<Answer>): typeof ask {
  const questions = new Map<string, Promise<Answer>>()
  return async key => {
    const question = questions.get(key) ?? ask(key).finally(() => questions.delete(key))
    questions.set(key, question)
    return await question
  }
}

/** Whether a callback has reported anything of a session since it was read. */
function isReportedSince (record: FileRecord, { key, state, lastReported }: Session): boolean {
  const session = sessionWith(record, key)
  return session?.state !== state || session.lastReported > lastReported
}
