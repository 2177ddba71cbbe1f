import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { ForceSaveOptions } from '../../types/control.js'
import type { ServerCommand, ServerCommandResult } from '../../types/document-server.js'
import type { SignalOptions } from '../../types/conversions.js'
import type {
  EditorSession, EditorSessions, DocumentFreeze, FreezeOptions, ListSessionsOptions
} from '../../types/sessions.js'
import type { StoredDocument } from '../../types/storage.js'
import { frozenNotice, unlessKeyUnknown, UserIds } from '../document-server/commands.js'
import {
  BusyError, FileNotFoundError, InvalidKeyError, InvalidOptionError, LockedError, NO_REASON, UpstreamTimeoutError
} from '../errors.js'
import { unlessAborted, withTimeout } from '../util/limits.js'
import {
  AnyString, assertOptions, assertValue, integerFrom, MAX_TIMEOUT_MS, numberFrom, requestRules, type Rule, rule,
  type Rules, Signal, stringThat, TrueOrFalse, withoutUndefined
} from '../util/validate.js'
import type { WhenNobodyEdits } from './nobody-edits.js'
import {
  frozenBy, type Hold, holdsOf, isLive, liveSessions, LONG_AGO, releasedBy, type Session, type SessionRecord,
  sessionWith, withoutFrozenKeys
} from './record.js'
import type { RecordOfFile, SessionServices } from './record-store.js'
import type { Sessions } from './sessions.js'

const Title = rule(
  'must be a string of 1 to 255 characters, not only whitespace',
  stringThat(title => title.trim() !== '' && title.length <= 255)
)
const listRules: Rules<ListSessionsOptions> = { scan: TrueOrFalse, signal: Signal }

const MAX_HOLDS = 16
const DEFAULT_FREEZE_TIMEOUT_MS = 30_000
/**
 * An editor sends what was typed 1.0 to 1.1 s after the last key, and loses it if it is closed earlier. Source:
 * emulator/docs/document-server-protocol.md#what-the-emulator-does-differently
 */
const TYPING_ARRIVES_WITHIN_MS = 1500
/** The document server must find out who edits. Other commands take no longer. */
const ANSWER_WITHIN_MS = 10_000
/** Leaving saves, too: this only makes the wait shorter. */
const FORCE_SAVE_MS = 10_000
const freezeRules: Rules<FreezeOptions> = {
  by: rule('must be a string of at most 100 characters', stringThat(by => by.length <= 100)),
  reason: rule('must be a string of at most 500 characters', stringThat(reason => reason.length <= 500)),
  duration: rule('must be a whole number of milliseconds from 1 to 8e15', integerFrom(1, 8e15)), // a Date ends there
  timeout: rule(`must be a number of milliseconds from 0 to ${MAX_TIMEOUT_MS}`, numberFrom(0, MAX_TIMEOUT_MS)),
  signal: Signal
}

const { by: _by, duration: _duration, ...deleteRules } = freezeRules
/** Prefix of `by` for a document that is being deleted. */
const DELETION = 'editorSessions.delete '
/** After `timeout`. If the process dies meanwhile, nobody else would release the document. */
const REMOVED_WITHIN_MS = 10 * 60_000

interface FreezeServices extends SessionServices {
  readonly sessions: Sessions
  readonly forceSaves: {
    request (fileId: string, key: string, options: ForceSaveOptions): Promise<unknown>
  }
  readonly whenNobodyEdits: WhenNobodyEdits
}

const ONLY_AT_DOCUMENT_SERVER =
  'its last save was refused or never arrived, and only the document server has it: call recoverForgotten(), or release it and open it, and then freeze it again'

export function createEditorSessions (
  {
    storage, keys, commands, recordStore, sessions, forceSaves, whenNobodyEdits, hooks, shutdown: { closing },
    settings: { clock }
  }: FreezeServices
): EditorSessions {
  /** Settles when all scans that were requested so far have ended. */
  let scans: Promise<unknown> = Promise.resolve()

  const editorSessions: EditorSessions = {
    async list (options = {}) {
      assertOptions(listRules, options)
      const { scan = false, signal } = options
      signal?.throwIfAborted()
      return scan ? await scanInTurn(signal) : await liveIn(recordStore.readEdited(), signal)
    },

    async get (fileId) {
      assertValue('fileId', fileId, AnyString)
      const { record } = await recordStore.read(fileId)
      return { sessions: liveAt(fileId, record), freezes: freezesOf(fileId, record) }
    },

    async freeze (fileId, options = {}) {
      assertValue('fileId', fileId, AnyString)
      assertOptions(freezeRules, options)
      const { by = '', reason, duration, timeout = DEFAULT_FREEZE_TIMEOUT_MS, signal } = options
      signal?.throwIfAborted()
      if (hooks.isInHookOf(fileId)) {
        throw new BusyError('its callback waits for the hook that called freeze(): call it after the hook has returned')
      }
      const end = performance.now() + timeout
      const content = await storage.stat(fileId)
      if (content === null) throw new FileNotFoundError(fileId)
      let unreported: string[] = []
      await recordStore.update(fileId, record => {
        const since = clock.now()
        const until = duration && since + duration
        const others = holdsOf(record, since).filter(hold => hold.by !== by)
        if (others.length >= MAX_HOLDS) throw new InvalidOptionError('by', `cannot freeze the document: ${MAX_HOLDS} others have frozen it`)
        unreported = keysWithoutSession(record, content)
        return frozenBy(record, withoutUndefined({ by, since, until, reason }), since, unreported)
      })
      const ending = signal ? AbortSignal.any([signal, closing]) : closing
      await noteUnreported(fileId, unreported, ending)
      await unlessAborted(rejectIfForgotten(fileId, ending), ending)
      await endSessions(fileId, end, ending)
      const present = await whenOver(fileId, end, timeout, ending)
      const freeze = freezesOf(fileId, present).find(freeze => freeze.by === by)
      if (!freeze) {
        if (await storage.stat(fileId) === null) throw new FileNotFoundError(fileId) // another call has deleted it
        throw new BusyError('it was released, or the freeze has expired, before its sessions had ended')
      }
      return { ...freeze, release: async () => await release(fileId, by) }
    },

    async release (fileId, by = '') {
      assertValue('fileId', fileId, AnyString)
      assertValue('by', by, freezeRules.by as Rule)
      return await release(fileId, by)
    },

    async users (fileId, options = {}) {
      assertValue('fileId', fileId, AnyString)
      assertOptions(requestRules, options)
      const { signal } = options
      const users = await Promise.all(
        (await sessionsOf(fileId, signal)).map(async session => await usersIn(fileId, session, signal))
      )
      return [...new Set(users.flat())]
    },

    async drop (fileId, users, options = {}) {
      assertValue('fileId', fileId, AnyString)
      if (users !== undefined) assertValue('users', users, UserIds)
      assertOptions(requestRules, options)
      if (users?.length === 0) return []
      return await sendToAll(fileId, key => ({ c: 'drop', key, ...(users && { users }) }), options)
    },

    async rename (fileId, title, options = {}) {
      assertValue('fileId', fileId, AnyString)
      assertValue('title', title, Title)
      assertOptions(requestRules, options)
      return await sendToAll(fileId, key => ({ c: 'meta', key, meta: { title } }), options)
    },

    async delete (fileId, options = {}) {
      assertValue('fileId', fileId, AnyString)
      assertOptions(deleteRules, options)
      const by = `${DELETION}${randomUUID()}`
      const duration = (options.timeout ?? DEFAULT_FREEZE_TIMEOUT_MS) + REMOVED_WITHIN_MS
      try {
        await editorSessions.freeze(fileId, { ...options, by, duration })
        const { freezes } = await editorSessions.get(fileId)
        const other = freezes.find(freeze => !freeze.by.startsWith(DELETION))
        if (other) throw new LockedError(other.reason || NO_REASON)
        return await storage.remove(fileId)
      } catch (error) {
        if (error instanceof FileNotFoundError) return false
        await release(fileId, by).catch(() => {}) // the first failure says more
        throw error
      }
    }
  }
  return editorSessions

  /** Keys that pages may have, but whose sessions are not in the record: their status 1 may have been lost. */
  function keysWithoutSession (record: SessionRecord, content: StoredDocument): string[] {
    const given = [sessions.newKey(record, content), record.unopened?.key]
    return [...new Set(given)].filter(key => key !== undefined && sessionWith(record, key) === undefined) as string[]
  }

  /**
   * Asks the document server about sessions that are not in the record, and notes those that exist. Only their keys may
   * still change the frozen file.
   */
  async function noteUnreported (fileId: string, unreported: readonly string[], signal: AbortSignal): Promise<void> {
    for (const key of unreported) {
      const users = await withTimeout(async () => await usersUnder(key, signal), { // or it may take minutes
        milliseconds: ANSWER_WITHIN_MS,
        timeoutError: ms => new UpstreamTimeoutError(`the command service did not answer within ${ms} ms`),
        signal
      })
      if (users === null && await isForgotten(key, signal)) throw new BusyError(ONLY_AT_DOCUMENT_SERVER)
      if (users?.length) await sessions.started(fileId, key, users)
    }
    await recordStore.update(fileId, record => withoutFrozenKeys(record, { exceptNoted: true }))
  }

  /**
   * Rejects if a session has ended without a report: nobody edits, and the document server keeps the changes. If an
   * earlier save was refused but later ones were not, it keeps only content older than the stored one.
   */
  async function rejectIfForgotten (fileId: string, signal: AbortSignal): Promise<void> {
    const unended = (await sessionsOf(fileId, signal)).filter(session =>
      session.state !== 'refused' && session.isAheadOfRefused !== true
    )
    const found = await Promise.all(unended.map(async ({ key }) => await commands.lookUp(key)))
    if (found.includes('forgotten')) throw new BusyError(ONLY_AT_DOCUMENT_SERVER)
  }

  /**
   * Notifies the editors' pages, which then accept no more typing, saves their content, and closes them, even if
   * nothing could be saved: then the document server saves afterwards.
   */
  async function endSessions (fileId: string, end: number, signal: AbortSignal): Promise<void> {
    const doubtful = (await sessionsOf(fileId, signal)).filter(session => !isLive(session))
    await Promise.all(doubtful.map(async session => await sessions.giveUpIfUnknown(fileId, session)))
    const live = liveAt(fileId, (await recordStore.read(fileId)).record)
    await sendToAll(fileId, frozenNotice, { signal }).catch(() => {}) // they have to leave anyway
    if (live.length > 0) {
      await delay(TYPING_ARRIVES_WITHIN_MS, undefined, { signal }).catch(() => signal.throwIfAborted())
      const limit = Math.min(FORCE_SAVE_MS, end - performance.now())
      const saving = limit < 1
        ? []
        : live.map(async ({ key }) => await forceSaves.request(fileId, key, { timeout: limit, grace: 0 }))
      await unlessAborted(Promise.allSettled(saving), signal)
    }
    await sendToAll(fileId, key => ({ c: 'drop', key }), { signal })
  }

  /**
   * Resolves to the record when no session can change the file any more: all have ended, or lost the right to. Rejects
   * if the last save of a session is not stored.
   */
  async function whenOver (fileId: string, end: number, timeout: number, signal: AbortSignal): Promise<SessionRecord> {
    const isRefused = (session: Session) => session.state === 'refused' && isAtThisServer(fileId, session)
    const isWaitedFor = (session: Session) =>
      isLive(session) || (session.state === 'unconfirmed' && isAtThisServer(fileId, session))
    for (;;) {
      await whenNobodyEdits(fileId, end, timeout, signal, isWaitedFor)
      let isOver = false
      const record = await recordStore.update(fileId, record => {
        isOver = !record.sessions.some(isWaitedFor)
        return isOver && !record.sessions.some(isRefused) ? withoutFrozenKeys(record, { exceptNoted: false }) : record
      })
      if (isOver && record.sessions.some(isRefused)) throw new BusyError(ONLY_AT_DOCUMENT_SERVER)
      if (isOver) return record
    }
  }

  async function release (fileId: string, by: string): Promise<boolean> {
    let wasFrozen = false
    await recordStore.update(fileId, record => {
      const now = clock.now()
      wasFrozen = holdsOf(record, now).some(hold => hold.by === by)
      return releasedBy(record, by, now)
    })
    return wasFrozen
  }

  function freezesOf (fileId: string, record: SessionRecord): DocumentFreeze[] {
    return holdsOf(record, clock.now()).map(({ since, until, ...hold }: Hold) => ({
      fileId,
      ...hold,
      since: new Date(since),
      ...(until !== undefined && { until: new Date(until) })
    }))
  }

  function liveAt (fileId: string, record: SessionRecord): EditorSession[] {
    const isFrozen = holdsOf(record, clock.now()).length > 0
    return liveSessions(record).filter(session => isAtThisServer(fileId, session)).map(session => ({
      ...described(fileId, session),
      ...(isFrozen && { frozen: true as const })
    }))
  }

  async function scanInTurn (signal?: AbortSignal): Promise<EditorSession[]> {
    const scan = scans.then(async () => await liveIn(recordStore.readAll(), signal))
    scans = scan.catch(() => {})
    return await (signal ? unlessAborted(scan, signal) : scan)
  }

  async function liveIn (records: AsyncIterable<RecordOfFile>, signal?: AbortSignal): Promise<EditorSession[]> {
    const found: EditorSession[] = []
    for await (const { fileId, record } of records) {
      signal?.throwIfAborted()
      found.push(...liveAt(fileId, record))
    }
    return found
  }

  /** Includes dormant sessions: only the document server knows whether they are live. */
  async function sessionsOf (fileId: string, signal?: AbortSignal): Promise<Session[]> {
    signal?.throwIfAborted()
    const { record } = await recordStore.read(fileId)
    return record.sessions.filter(session => isAtThisServer(fileId, session))
  }

  function isAtThisServer (fileId: string, { key }: Session): boolean {
    return !keys.isForAnotherServer(fileId, key)
  }

  async function usersIn (fileId: string, session: Session, signal?: AbortSignal): Promise<readonly string[]> {
    const users = await usersUnder(session.key, signal)
    if (users === null) await sessions.giveUpIfUnknown(fileId, session)
    return users ?? []
  }

  /** Resolves to `null` if the document server does not know the key. */
  async function usersUnder (key: string, signal?: AbortSignal): Promise<readonly string[] | null> {
    return await unlessKeyUnknown(send({ c: 'info', key }, signal).then(answer => answer?.users ?? []))
  }

  /** Whether the document server keeps a save that was refused under this key. */
  async function isForgotten (key: string, signal: AbortSignal): Promise<boolean> {
    return await unlessKeyUnknown(send({ c: 'getForgotten', key }, signal)) !== null
  }

  async function sendToAll (
    fileId: string,
    commandFor: (key: string) => ServerCommand,
    { signal }: SignalOptions
  ): Promise<string[]> {
    const sent = await Promise.all(
      (await sessionsOf(fileId, signal)).map(async ({ key }) => await send(commandFor(key), signal) && key)
    )
    return sent.filter(key => key !== undefined)
  }

  /**
   * Resolves to `undefined` for a key that no document server accepts: the application assigned it, or it comes from a
   * callback without a token.
   */
  async function send<C extends ServerCommand> (
    command: C, signal?: AbortSignal
  ): Promise<ServerCommandResult<C> | undefined> {
    try {
      return await commands.send(command, signal && { signal })
    } catch (error) {
      if (error instanceof InvalidKeyError) return undefined
      throw error
    }
  }
}

function described (fileId: string, { key, lastReported }: Session): EditorSession {
  return { fileId, key, ...(lastReported !== LONG_AGO && { lastReported: new Date(lastReported) }) }
}
