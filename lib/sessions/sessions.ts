import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { StoredDocument } from '../../types/storage.js'
import { frozenNotice } from '../document-server/commands.js'
import { BoundedMap } from '../util/limits.js'
import { shared } from '../util/queue.js'
import {
  type Hold, type SessionRecord, finishedKeys, holdsOf, isFrozenOut, isJoinable, isLive, LONG_AGO, mayBeginAnew,
  type Refusal, type SaveIdentity, saveRefused, type Session, sessionAfter, sessionStarted, sessionWith
} from './record.js'
import type { Cause, SessionServices, Snapshot } from './record-store.js'
import { refusalNoted, refusalOf, saveStored } from './save-changes.js'

/** User ids, as reported by the document server. */
type Users = readonly string[] | undefined

/** Repeated reports of a session are noted at most this often per `timeouts.session`. */
const NOTES_PER_ASK = 10

/** Minimum time between giving up two keys of one document. */
const GIVEN_UP_INTERVAL_MS = 60_000

/** Minimum time between two requests to the document server about a session that new users do not join. */
const SUSPECT_INTERVAL_MS = 60_000
const MAX_SUSPECTS = 10_000

/**
 * Users who join a frozen document are disconnected twice, because the document server may not count them the first
 * time.
 */
const SEND_AWAY_AGAIN_MS = 1000

/** Older snapshots do not decide which key a user gets. */
const MAX_SNAPSHOT_AGE_MS = 100

/** How long a user who is about to join a session waits for the document server to confirm it. */
const ANSWER_WITHIN_MS = 1000

/**
 * The editing sessions of files, as callbacks report them. Everyone who opens a file with a live session must get that
 * session's key, even after a force save has changed the content: with different keys, two groups would edit two
 * copies.
 */
export type Sessions = ReturnType<typeof createSessions>

/** How a user opens a document now. */
export interface Opening {
  readonly key: string
  /** Absent unless the document is frozen. */
  readonly hold?: Hold | undefined
}

/** `onEndOfDeleted`: called when a session ends that is in no record because its file does not exist. */
export function createSessions (
  { storage, keys, commands, recordStore, log, shutdown, settings: { clock, timeouts } }: SessionServices,
  onEndOfDeleted: (fileId: string, cause: Cause) => void
) {
  /** If many users open a document at once, the document server is asked once. */
  const lookUpOnce = shared(commands.lookUp)

  /** When the document server was last asked about a suspect, by key. */
  const suspects = new BoundedMap<string, number>(MAX_SUSPECTS)

  return {
    /** A file, and how a user opens it now; `null` if the file does not exist. */
    async find (
      fileId: string
    ): Promise<{ readonly info: StoredDocument, readonly opening: () => Promise<Opening> } | null> {
      const snapshot = await recordStore.read(fileId)
      const readAt = performance.now()
      const info = snapshot.file
      return info &&
        {
          info,
          opening: async () =>
            await openingOf(info, performance.now() - readAt <= MAX_SNAPSHOT_AGE_MS ? snapshot : undefined)
        }
    },

    openingOf,

    newKey,

    /**
     * A page reports that the document server could not open the content under this key. The failure is permanent, so
     * the next user gets another key. Keys change at most once a minute, only if nobody has the document open, and only
     * if the document server confirms that nobody is editing. Resolves to whether somebody, who may be about to leave,
     * has it open.
     */
    async giveUpKey (fileId: string, key: string): Promise<boolean> {
      const { record, file } = await recordStore.read(fileId)
      if (file === null) return false
      const isDue = (record: SessionRecord) =>
        record.sessions.length === 0 && newKey(record, file) === key &&
        Math.abs(clock.now() - (record.unopened?.at ?? 0)) >= GIVEN_UP_INTERVAL_MS
      if (!isDue(record)) return record.sessions.length > 0
      const found = await lookUpOnce(key)
      if (found === 'known' || found === 'unknown') {
        await recordStore.update(fileId, record =>
          isDue(record) ? { ...record, unopened: { key, at: clock.now() } } : record)
      }
      return found === 'edited'
    },

    /**
     * Status 1: users are editing under this key, or, without users, unsaved changes are left. `joined`: those of them
     * who have just joined.
     */
    async started (fileId: string, key: string, users: Users, joined: Users = []): Promise<void> {
      const hasUsers = users?.length !== 0
      const isAlone = joined.length > 0 && users?.every(user => joined.includes(user)) === true
      const isJustNoted = (record: SessionRecord) => {
        const session = sessionWith(record, key)
        return session !== undefined && (isLive(session) || !hasUsers) && !(isAlone && mayBeginAnew(record, key)) &&
          clock.now() - session.lastReported < timeouts.session / NOTES_PER_ASK
      }
      const snapshot = await recordStore.read(fileId)
      if (isJustNoted(snapshot.record)) return keepOut(snapshot.record, fileId, key, { users, joined })
      const content = snapshot.file
      if (content === null) return
      const change = (record: SessionRecord) =>
        isJustNoted(record) ? record : sessionStarted(record, keys, key, content, clock.now(), { hasUsers, isAlone })
      const options = { snapshot, cause: { key, users } }
      keepOut(await recordStore.update(fileId, change, options), fileId, key, { users, joined })
    },

    /** A repeated final save is already stored: acknowledging it ends the session. */
    async finished (fileId: string, key: string, users: Users): Promise<void> {
      // `isAheadOfRefused`: nothing was refused since the save was stored.
      const eventOf = (session?: Session) =>
        session?.state === 'refused' && session.isAheadOfRefused === true ? 'saved' : 'repeated'
      await recordStore.update(fileId, record => sessionAfter(record, key, eventOf(sessionWith(record, key))), {
        cause: { key, users, reason: 'saved' }
      })
    },

    /** Status 4: the session ended without changes. */
    async closed (fileId: string, key: string): Promise<void> {
      const cause = { key, reason: 'unchanged' } as const
      const isNoted = await noteEnd(
        fileId,
        cause,
        record => sessionAfter(record, key, 'closed', { lastReported: LONG_AGO })
      )
      if (!isNoted && await storage.stat(fileId) === null) onEndOfDeleted(fileId, cause)
    },

    /** The document server has ended the session, and there is nothing to store. */
    async discarded (fileId: string, key: string, users: Users): Promise<void> {
      const cause = { key, users, reason: 'discarded' } as const
      if (await storage.stat(fileId) === null) return await endedAfterDeletion(fileId, cause)
      await recordStore.update(
        fileId,
        record =>
          finishedKeys(record).has(key)
            ? sessionAfter(record, key, 'saved')
            : saveStored(record, { key, status: 2, storedAt: clock.now() }),
        { cause }
      )
    },

    /** A save of the session was refused: the document server keeps it under this key. `isHeard`: as in record.ts. */
    async saveRefused (
      fileId: string, save: SaveIdentity, reason: Pick<Refusal, 'code' | 'message'>, users: Users, isHeard: boolean
    ): Promise<void> {
      const { key } = save
      const cause = { key, users, reason: 'refused' } as const
      const snapshot = await recordStore.read(fileId)
      const content = snapshot.file
      if (content === null) return await endedAfterDeletion(fileId, cause)
      const change = (record: SessionRecord) => {
        const now = clock.now()
        return refusalNoted(saveRefused(record, keys, key, content, now, { isHeard }), save, { ...reason, now })
      }
      await recordStore.update(fileId, change, { snapshot, cause })
    },

    /** Why and since when the latest save of a session is not stored; `undefined` if it is, as far as is known. */
    refusalOf: async (fileId: string, key: string) => refusalOf((await recordStore.read(fileId)).record, key),

    /**
     * Gives up a session if the document server no longer knows it. A session of another document server is left alone.
     * Call it only where `Commands.lookUp` may be called.
     */
    async giveUpIfUnknown (fileId: string, session: Session): Promise<void> {
      if (!keys.isForAnotherServer(fileId, session.key)) await isStillLive(fileId, session)
    }
  }

  /**
   * Disconnects users who begin to edit a frozen document: their page is older, or they removed the lock from its
   * configuration. Users who were editing before are disconnected by `freeze()`, once their last changes have arrived.
   */
  function keepOut (
    record: SessionRecord, fileId: string, key: string, given: { readonly users: Users, readonly joined: Users }
  ): void {
    const now = clock.now()
    const users = isFrozenOut(record, key, now) ? given.users : given.joined
    if (holdsOf(record, now).length === 0 || users?.length === 0) return
    const send = async () => {
      await commands.send(frozenNotice(key)).catch(() => {})
      await commands.send({ c: 'drop', key, ...(users && { users }) })
    }
    const again = send().catch(() => {}).then(async () => {
      await delay(SEND_AWAY_AGAIN_MS, undefined, { ref: false, signal: shutdown.closing })
      await send()
    })
    again.catch(err => {
      if (!shutdown.closing.aborted) log.warn({ err, fileId, key }, 'editors of a frozen document could not be closed')
    })
  }

  /** How a user opens this content now. `snapshot`: a record read just before. */
  async function openingOf (content: StoredDocument, snapshot?: Snapshot): Promise<Opening> {
    const { fileId } = content
    const deadKeys = new Set<string>()
    for (;;) {
      const { record, file } = deadKeys.size === 0 && snapshot ? snapshot : await recordStore.read(fileId)
      const current = file ?? content // removed since
      for (const session of record.sessions) {
        if (isSuspect(session, current)) isStillLive(fileId, session).catch(() => {})
      }
      const session = record.sessions.find(one => isJoinable(one, keys, current) && !deadKeys.has(one.key))
      const hold = holdsOf(record, clock.now())[0]
      if (session === undefined) return { key: newKey(record, current), hold }
      const isKnown = !isDoubtful(session) && clock.now() - session.lastReported < timeouts.session
      if (isKnown || await inTime(isStillLive(fileId, session), !isDoubtful(session))) return { key: session.key, hold }
      deadKeys.add(session.key)
    }
  }

  /** The key of content that nobody is editing. */
  function newKey (record: SessionRecord, content: StoredDocument): string {
    const taken = finishedKeys(record)
    for (const session of record.sessions) if (session.isFrozenOut) taken.add(session.key)
    return keys.of(content, taken, record.unopened?.key)
  }

  /** The record was usually deleted together with the file, and without it, a repeated report cannot be recognized. */
  async function endedAfterDeletion (fileId: string, cause: Cause): Promise<void> {
    if (!await noteEnd(fileId, cause, record => sessionAfter(record, cause.key, 'deleted'))) {
      onEndOfDeleted(fileId, cause)
    }
  }

  /** Resolves to whether the record contained the session. */
  async function noteEnd (
    fileId: string, cause: Cause, change: (record: SessionRecord) => SessionRecord
  ): Promise<boolean> {
    let isNoted = false
    await recordStore.update(fileId, record => {
      isNoted = sessionWith(record, cause.key) !== undefined
      return change(record)
    }, { cause })
    return isNoted
  }

  /**
   * Whether the file was changed from outside during the session, and the document server was not recently asked about
   * it.
   */
  function isSuspect ({ key, baseRevision }: Session, { fileId, revision }: StoredDocument): boolean {
    if (baseRevision === undefined || baseRevision === revision || keys.isForAnotherServer(fileId, key)) return false
    if (clock.now() - (suspects.get(key) ?? -Infinity) < SUSPECT_INTERVAL_MS) return false
    suspects.set(key, clock.now())
    return true
  }

  /** Asks the document server and notes the answer. The document can be opened even if noting fails. */
  async function isStillLive (fileId: string, session: Session): Promise<boolean> {
    const { key } = session
    const found = await lookUpOnce(key)
    if (found === undefined && isDoubtful(session)) return false
    const record = await recordStore.update(fileId, record => {
      // The forgotten file is the refused save: a user who opened it would not see later saves.
      const isGivenUp = found === 'unknown' ||
        (found === 'forgotten' && sessionWith(record, key)?.isAheadOfRefused === true)
      if (!isGivenUp) {
        return sessionAfter(record, key, found === 'edited' ? 'edited' : 'known', { lastReported: clock.now() })
      }
      return isReportedSince(record, session) ? record : sessionAfter(record, key, 'unknown')
    }, { cause: { key, reason: 'lost' } }).catch(() => undefined)
    // A callback may have reported meanwhile that everybody has left, or that a user has joined.
    return record === undefined ? found !== 'unknown' : sessionWith(record, key) !== undefined
  }
}

/**
 * Whether a session may be joined only if the document server confirms it: it is unconfirmed, or its key may lead back
 * to a refused save, which would replace what was stored since.
 */
function isDoubtful ({ state, isAheadOfRefused }: Session): boolean {
  return state === 'unconfirmed' || isAheadOfRefused === true
}

/**
 * Opening a document does not wait long for the document server. The request continues: its answer serves later users.
 */
async function inTime (answer: Promise<boolean>, otherwise: boolean): Promise<boolean> {
  return await Promise.race([answer, delay(ANSWER_WITHIN_MS, otherwise, { ref: false })])
}

/** Whether a callback has reported anything about a session since it was read. */
function isReportedSince (record: SessionRecord, { key, state, lastReported }: Session): boolean {
  const session = sessionWith(record, key)
  return session?.state !== state || session.lastReported > lastReported
}
