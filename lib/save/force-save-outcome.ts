import type { Clock } from '../../types/options.js'
import { ASSEMBLY_FAILED, forceSaveWith, othersUnderWay, SUPERSEDED } from '../sessions/force-save-notes.js'
import {
  type SessionRecord, finishedKeys, type ForceSaveResult, hasRefusedSave, liveSessions, sessionWith
} from '../sessions/record.js'

/** How the document server answered the command `forcesave`. Source: docs/document-server-protocol.md#forcesave */
export type CommandAnswer = 'started' | 'nothing new' | 'not now' | 'unknown key'

export type Verdict =
  | { readonly saved: true, readonly revision: string, readonly conflictFileId?: string }
  | { readonly saved: false, readonly reason: 'no-changes' | 'no-session' }
  | { readonly failure: string, readonly isRetryable: boolean }

interface Given {
  readonly id: string
  readonly key: string
  readonly clock: Clock
  /** Whether this instance has callbacks of the file that are not applied yet. */
  readonly isBusy: () => boolean
  /**
   * Whether the document server, after answering `not now` or `nothing new`, reported that nobody is editing. The
   * callback that it sent before that is applied, unless `isBusy`: it tells whether there are unsaved changes.
   */
  readonly isLeft: () => boolean
  /** Milliseconds of the slowest recent force save. */
  readonly slowest: number
  /** Milliseconds to wait for the saves of others. */
  readonly grace: number | undefined
}

/**
 * The document server does not report force saves of others that are under way. Their callbacks arrive within 2
 * seconds, later for a large document, so the wait is at least twice the duration of the slowest recent force save.
 * Source: docs/document-server-protocol.md#forcesave
 */
const GRACE_MS = 3000

/**
 * If somebody else's force save was stored after the command was sent, a newer one may be under way, which takes
 * longer. After this time since the command there is none, unless the document server takes longer to assemble the
 * document.
 */
const OTHERS_GRACE_MS = 10_000

/** Pause between commands that are answered `not now`, even with a shorter `grace`. */
const NOT_NOW_PAUSE_MS = 1000

/** Decides the outcome of a force save. */
export function createOutcomeResolver (
  { id, key, clock, isBusy, isLeft, slowest, grace = Math.max(GRACE_MS, 2 * slowest) }: Given
) {
  const startedAt = performance.now()
  let quietAt = startedAt + grace
  let refusals = 0
  let wasLive = false
  let isAnswerSeen = false
  let isFinishSeen = false
  let isConfirmed = false
  /** Force saves that the document server may have started before this one. */
  let earlier: readonly string[] = []

  return { begin, decide, isToBeConfirmed, decidesIn }

  /** `record`: the record in which the force save was noted. */
  function begin (record: SessionRecord): void {
    wasLive = isLive(record)
    earlier = othersUnderWay(record, { id, key }, clock.now())
  }

  /** Returns `undefined` while the outcome is open. `answer`: the answer known before the record was read. */
  function decide (record: SessionRecord, answer: CommandAnswer | undefined): Verdict | undefined {
    const { result } = forceSaveWith(record, id) ?? {}
    if (result?.from === 'own' || result?.from === 'later' || result?.from === 'final') return verdictOf(result)
    switch (answer) {
      case 'started': return decideStarted(record, result)
      case 'nothing new': return decideNothingNew(record, result)
      case 'not now': return decideNotNow(result)
      case 'unknown key': return decideUnknownKey(result)
    }
  }

  /**
   * Whether a verdict should be confirmed by sending the command again: the document server may not have read an
   * earlier answer, or may have finished what it was doing.
   */
  function isToBeConfirmed (verdict: Verdict, answer: CommandAnswer | undefined): boolean {
    if (verdict === NOT_NOW) {
      waitAgain(NOT_NOW_PAUSE_MS)
      return isLeft() || refusals++ === 0
    }
    if (isConfirmed || isLeft() || answer !== 'nothing new') return false
    if (verdict === NO_SESSION || 'failure' in verdict) return false
    isConfirmed = true
    return true
  }

  /** Milliseconds after which a decision may be possible although nothing has changed. */
  function decidesIn (): number {
    const left = quietAt - performance.now()
    return left > 0 ? left + 1 : Infinity // timers may be a little early
  }

  /**
   * The command's own save follows, unless a refused save was repeated for it, or everybody has left and a final save
   * was under way.
   */
  function decideStarted (record: SessionRecord, result: ForceSaveResult | undefined): Verdict | undefined {
    const isFirst = !isAnswerSeen
    isAnswerSeen = true
    if (result?.from === 'repeat' && isFirst) return verdictOf(result)
    if (result?.from !== 'final-before') return undefined
    if (!isFinishSeen) waitAgain()
    isFinishSeen = true
    return isQuiet() && (result.code !== undefined || !isLive(record)) ? verdictOf(result) : undefined
  }

  /** Another save with the same changes may be under way. */
  function decideNothingNew (record: SessionRecord, result: ForceSaveResult | undefined): Verdict | undefined {
    if (result === undefined && finishedKeys(record).has(key) && !isLive(record)) return NO_SESSION
    if (isLeft()) return decideLeft(record, result)
    const stillEarlier = othersUnderWay(record, { id, key }, clock.now()).filter(other => earlier.includes(other))
    // Large documents take longer, and the saves of others may, too.
    if (stillEarlier.length < earlier.length) waitAgain()
    earlier = stillEarlier
    if (result?.from === 'other') quietAt = Math.max(quietAt, startedAt + OTHERS_GRACE_MS)
    if (isBusy() || earlier.length > 0 || !isQuiet()) return undefined
    if (result === undefined) return isKeptBack(record) ? KEPT_BACK : NO_CHANGES
    return result.from !== 'final-before' && isOrderUnknown(record) ? UNKNOWN_ORDER : verdictOf(result)
  }

  /**
   * Nobody is editing. The document server also answers this before it makes the final save; its callback of `info`
   * ends a session without unsaved changes, and begins one that has some.
   */
  function decideLeft (record: SessionRecord, result: ForceSaveResult | undefined): Verdict | undefined {
    const session = sessionWith(record, key)
    const isUnsaved = session !== undefined && session.state !== 'refused'
    if (isUnsaved) return decideNotNow(result)
    if (isBusy()) return undefined
    if (result !== undefined) return verdictOf(result)
    return isKeptBack(record) ? KEPT_BACK : NO_SESSION
  }

  /**
   * A save with these changes is under way: the final save, if everybody has left, or the save of another command.
   * Neither necessarily arrives at this instance before the command would get another answer. Or the document server
   * has already failed to assemble these changes.
   */
  function decideNotNow (result: ForceSaveResult | undefined): Verdict | undefined {
    if (result?.from === 'final-before' && isLeft()) return verdictOf(result)
    return isBusy() || !isQuiet() ? undefined : NOT_NOW
  }

  /** The end of the session may be on its way. */
  function decideUnknownKey (result: ForceSaveResult | undefined): Verdict | undefined {
    if (result?.from === 'final-before') return verdictOf(result)
    return isBusy() || (wasLive && !isQuiet()) ? undefined : NO_SESSION
  }

  /**
   * Whether any of several force saves may be the newest: `lastsave` has whole seconds, and saves may arrive in another
   * order than they were started.
   */
  function isOrderUnknown ({ saves }: SessionRecord): boolean {
    const times = saves.filter(save => save.key === key && save.status === 6).map(({ lastsave = '' }) =>
      Date.parse(lastsave)
    )
    return times.filter(time => time === Math.max(...times)).length > 1
  }

  /**
   * Whether the editors may show a final save that was refused. For the document server, that save is what the session
   * began with, so there is nothing new. A force save stored since may not contain it.
   */
  function isKeptBack (record: SessionRecord): boolean {
    const session = sessionWith(record, key)
    return session !== undefined && hasRefusedSave(session)
  }

  function isLive (record: SessionRecord): boolean {
    return liveSessions(record).some(session => session.key === key)
  }

  function waitAgain (least = 0): void {
    quietAt = performance.now() + Math.max(grace, least)
  }

  function isQuiet (): boolean {
    return performance.now() >= quietAt
  }
}

/** The document server has answered 3, and no save has followed. */
const NOT_NOW = {
  failure: 'the document server could not assemble these changes before, and tries again only after another edit',
  isRetryable: false
} as const
const NO_CHANGES = { saved: false, reason: 'no-changes' } as const
const UNKNOWN_ORDER = {
  failure: 'several saves with changes of the same second have arrived, and it is unknown which is the newest',
  isRetryable: true
} as const
const KEPT_BACK = {
  failure:
    'the final save of this session was refused. The document server sends it again only after another edit, or when everybody has left',
  isRetryable: false
} as const
const NO_SESSION = { saved: false, reason: 'no-session' } as const

function verdictOf ({ revision, conflictFileId, code, isRetryable = false }: ForceSaveResult): Verdict {
  if (revision !== undefined) return { saved: true, revision, ...(conflictFileId !== undefined && { conflictFileId }) }
  return { failure: explanations.get(code) ?? `the save was refused with ${code}`, isRetryable }
}

const explanations: ReadonlyMap<string | undefined, string> = new Map([
  [ASSEMBLY_FAILED, 'the document server could not assemble the edited document'],
  [
    SUPERSEDED,
    'by the document server\'s clock the save is older than the stored content: check whether that clock was set back'
  ]
])
