import { setTimeout as delay } from 'node:timers/promises'
import { BeingEditedError } from '../errors.js'
import { unlessAborted } from '../util/limits.js'
import { shared } from '../util/queue.js'
import { isLive, type Session } from './record.js'
import type { SessionServices } from './record-store.js'
import type { Sessions } from './sessions.js'

const POLL_INTERVAL_MS = 100
/** The document server reports the end of a session by itself. The plugin asks only if that takes longer than this. */
const ASK_AFTER_MS = 3_000

/** Calls that wait for the same document share one look at its record and one request to the document server. */
export type WhenNobodyEdits = ReturnType<typeof createWhenNobodyEdits>

export function createWhenNobodyEdits (
  { recordStore, shutdown: { closing } }: SessionServices, sessions: Sessions
) {
  const lookLater = shared(async fileId => await delay(POLL_INTERVAL_MS).then(async () => await sessionsOf(fileId)))
  const askLater = shared(async fileId =>
    await delay(ASK_AFTER_MS, undefined, { ref: false, signal: closing }).then(async () =>
      await askAbout(fileId, ({ state }) => state !== 'refused')
    )
  )

  /**
   * Resolves when no session of a file is live, or rejects with `BeingEditedError`. `end`: by `performance.now()`.
   * `timeout`: for the error. `isWaitedFor`: the sessions that must have ended.
   */
  return async function whenNobodyEdits (
    fileId: string, end: number, timeout: number, signal: AbortSignal,
    isWaitedFor: (session: Session) => boolean = isLive
  ): Promise<void> {
    signal.throwIfAborted()
    await unlessAborted(askAbout(fileId, ({ state }) => state === 'unconfirmed'), signal)
    let sessions = await sessionsOf(fileId)
    while (sessions.some(isWaitedFor)) {
      if (performance.now() > end) throw new BeingEditedError(timeout)
      askLater(fileId).catch(() => {})
      sessions = await unlessAborted(lookLater(fileId), signal)
    }
  }

  async function sessionsOf (fileId: string): Promise<readonly Session[]> {
    return (await recordStore.read(fileId)).record.sessions
  }

  /** Asks the document server about sessions that may have ended. */
  async function askAbout (fileId: string, isSuspect: (session: Session) => boolean): Promise<void> {
    const { record } = await recordStore.read(fileId)
    await Promise.all(
      record.sessions.filter(isSuspect).map(async session => await sessions.giveUpIfUnknown(fileId, session))
    )
  }
}
