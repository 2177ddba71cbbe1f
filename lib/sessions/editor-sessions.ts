import { setTimeout as delay } from 'node:timers/promises'
import type { Command, CommandResult } from '../../types/document-server.js'
import type { RequestOptions } from '../../types/requests.js'
import type { EditorSession, EditorSessions, ListSessionsOptions } from '../../types/sessions.js'
import { COMMAND_CODE, UserIds } from '../document-server/commands.js'
import { CommandFailedError, InvalidKeyError, InvalidOptionError } from '../errors.js'
import { unlessAborted } from '../util/limits.js'
import {
  AnyString, assertOptions, assertValue, requestRules, rule, type Rules, Signal, stringThat, TrueOrFalse
} from '../util/validate.js'
import type { SessionServices } from './locks.js'
import { liveSessions, LONG_AGO, type Session } from './record.js'
import type { RecordOfFile } from './record-store.js'
import type { Sessions } from './sessions.js'

const MAX_TITLE_LENGTH = 255

const Title = rule(
  `must be a string of 1 to ${MAX_TITLE_LENGTH} characters, not only whitespace`,
  stringThat(title => title.trim() !== '' && title.length <= MAX_TITLE_LENGTH)
)
const listRules: Rules<ListSessionsOptions> = { scan: TrueOrFalse, signal: Signal }

/** A scan pauses after this many records, for as long as reading them took. */
const RECORDS_PER_PAUSE = 50

export function createEditorSessions (
  { keys, commands, recordStore }: SessionServices, sessions: Sessions
): EditorSessions {
  /** Settles when all scans requested so far have ended. */
  let scans: Promise<unknown> = Promise.resolve()

  return {
    async list (options = {}) {
      assertOptions(listRules, options)
      const { scan = false, signal } = options
      signal?.throwIfAborted()
      return scan ? await scanInTurn(signal) : await liveIn(recordStore.readEdited(), signal)
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
    }
  }

  async function scanInTurn (signal?: AbortSignal): Promise<EditorSession[]> {
    const { readAll } = recordStore
    if (readAll === undefined) throw new InvalidOptionError('scan', 'requires a storage that implements state.list()')
    const scan = scans.then(async () => await liveIn(readAll(), signal))
    scans = scan.catch(() => {})
    return await (signal ? unlessAborted(scan, signal) : scan)
  }

  async function liveIn (records: AsyncIterable<RecordOfFile>, signal?: AbortSignal): Promise<EditorSession[]> {
    const found: EditorSession[] = []
    let count = 0
    let started = performance.now()
    for await (const { fileId, record } of records) {
      signal?.throwIfAborted()
      for (const session of liveSessions(record)) {
        if (isAtThisServer(fileId, session)) found.push(described(fileId, session))
      }
      if (++count % RECORDS_PER_PAUSE > 0) continue
      await delay(performance.now() - started, undefined, { ...(signal && { signal }) }).catch(() =>
        signal?.throwIfAborted()
      )
      started = performance.now()
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
    try {
      return (await send({ c: 'info', key: session.key }, signal))?.users ?? []
    } catch (error) {
      if (!(error instanceof CommandFailedError) || error.serverCode !== COMMAND_CODE.unknownKey) throw error
      await sessions.giveUpIfUnknown(fileId, session)
      return []
    }
  }

  async function sendToAll (
    fileId: string,
    commandFor: (key: string) => Command,
    { signal }: RequestOptions
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
  async function send<C extends Command> (command: C, signal?: AbortSignal): Promise<CommandResult<C> | undefined> {
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
