import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { ForceSaveOptions, ForceSaveResult } from '../../types/control.js'
import type { CallbackEvent } from '../../types/events.js'
import { codeOf } from '../diagnostics.js'
import { COMMAND_CODE, isAnswer } from '../document-server/commands.js'
import {
  CommandFailedError, type EditorError, FileNotFoundError, ForceSaveFailedError, ForceSaveTimeoutError
} from '../errors.js'
import {
  ASSEMBLY_FAILED, forceSaveNoted, type ForceSaveRelation, forceSaveRemoved, forceSavesConcerned, forceSavesSkipped,
  forceSaveWith
} from '../sessions/force-save-notes.js'
import { type SessionRecord, sessionWith } from '../sessions/record.js'
import type { SessionServices } from '../sessions/record-store.js'
import { refusalNoted } from '../sessions/save-changes.js'
import { withTimeout } from '../util/limits.js'
import { assertOptions, isNumber, MAX_TIMEOUT_MS, numberFrom, rule, type Rules, Signal } from '../util/validate.js'
import { type CommandAnswer, NOT_NOW_PAUSE_MS, type Verdict, verdictOn } from './force-save-verdict.js'
import { identityOf, messageForUsers, refusedIdentityOf, type SaveRequest } from './save-request.js'

/** A waiting command of this instance. */
interface Waiter {
  readonly id: string
  readonly key: string
  /** Why this instance refused the save, or what the document server answered. */
  cause?: Error | undefined
  wake (): void
  /** Resolves after this time or when woken; at once if `wake` was called meanwhile. */
  sleep (milliseconds: number): Promise<void>
}

/** One command, and the calls on this instance that share it. */
interface Command {
  readonly key: string
  readonly grace: number
  callers: number
  /** Once sent, its save may lack later edits, so later calls need the next command. */
  isSent: boolean
  /** Aborted when the last caller stops waiting. */
  readonly ended: AbortController
}

const DEFAULT_TIMEOUT_MS = 60_000
const rules: Rules<ForceSaveOptions> = {
  timeout: rule(
    `must be a number of milliseconds from 1 to ${MAX_TIMEOUT_MS}`,
    value => isNumber(value) && value > 0 && value <= MAX_TIMEOUT_MS
  ),
  grace: rule(`must be a number of milliseconds from 0 to ${MAX_TIMEOUT_MS}`, numberFrom(0, MAX_TIMEOUT_MS)),
  signal: Signal
}

/**
 * The document server does not report force saves that others have started. Their callbacks arrive within 2 seconds,
 * later for a large document. Source: emulator/docs/document-server-protocol.md#forcesave
 */
const GRACE_MS = 3000

/** How often a waiting instance reads the record, to see what other instances have noted. */
const POLL_INTERVAL_MS = 250

/** Expected answers. Any other is an error. */
const ANSWERS: ReadonlyMap<number | undefined, CommandAnswer> = new Map([
  [COMMAND_CODE.unknownKey, 'unknown key'],
  [COMMAND_CODE.nothingToSave, 'nothing new'],
  [COMMAND_CODE.internal, 'not now']
])

/**
 * Sends the command `forcesave`, and waits until the save is stored, by whichever instance. Instances communicate
 * through the record. Before sending the command, the waiting instance notes it there with a random id. The callback
 * repeats this id as `userdata`, and the instance that handles the callback notes the outcome. A waiting call does not
 * hold the file's queue.
 */
export type ForceSaves = ReturnType<typeof createForceSaves>

export function createForceSaves (
  { storage, commands, hooks, log, settings: { clock }, recordStore, shutdown: { closing } }: SessionServices
) {
  /** Waiting commands by fileId. */
  const waiters = new Map<string, Set<Waiter>>()
  /** How many callbacks have arrived but are not applied yet, by fileId. */
  const arrivals = new Map<string, number>()
  const requests = new Set<Promise<unknown>>()
  /** The latest command for each file, key and grace. */
  const latest = new Map<string, Command & { readonly result: Promise<ForceSaveResult> }>()

  return { request, arrived, failed, skipped, recordChanged: wake, idle }

  /** Implements `EditorControl.forceSave`. */
  async function request (fileId: string, key: string, options: ForceSaveOptions = {}): Promise<ForceSaveResult> {
    assertOptions(rules, options)
    const { signal, grace = GRACE_MS, timeout = DEFAULT_TIMEOUT_MS } = options
    signal?.throwIfAborted()
    if (hooks.isInHookOf(fileId)) {
      throw new ForceSaveFailedError(
        'it was requested in a hook that a callback of this document waits for, so the save would wait, too: request it after the hook has returned'
      )
    }
    if (closing.aborted) throw closingError()
    const command = commandFor(fileId, key, grace)
    command.callers++
    try {
      return await withTimeout(() => command.result, {
        milliseconds: timeout,
        timeoutError: ms => new ForceSaveTimeoutError(ms),
        signal: signal ? AbortSignal.any([signal, closing]) : closing
      })
    } catch (error) {
      throw error === closing.reason ? closingError() : error
    } finally {
      if (--command.callers === 0) command.ended.abort()
    }
  }

  /** Shares only a command that is not sent yet: a sent one may miss the latest changes. */
  function commandFor (fileId: string, key: string, grace: number) {
    const shared = JSON.stringify([fileId, key, grace])
    const waiting = latest.get(shared)
    if (waiting !== undefined && !waiting.isSent && !waiting.ended.signal.aborted) return waiting
    const command: Command = { key, grace, callers: 0, isSent: false, ended: new AbortController() }
    const result = run(fileId, command)
    const started = Object.assign(command, { result })
    latest.set(shared, started)
    requests.add(result)
    result.catch(() => {}).finally(() => {
      requests.delete(result)
      if (latest.get(shared) === started) latest.delete(shared)
    })
    return started
  }

  async function run (fileId: string, command: Command): Promise<ForceSaveResult> {
    const { key, grace, ended: { signal: ended } } = command
    const waiter: Waiter = { id: randomUUID(), key, ...createSleeper(ended) }
    let isUnderWay = false
    enter(fileId, waiter)
    try {
      if (await storage.stat(fileId) === null) throw new FileNotFoundError()
      await noteWhenPossible(fileId, waiter, ended)
      command.isSent = true
      for (;;) {
        const answer = await answerTo(waiter)
        isUnderWay = answer === 'started'
        const verdict = await verdictAfter(fileId, waiter, answer, grace, ended)
        isUnderWay = false
        if (verdict !== 'again') return resultOf(verdict, fileId, waiter)
      }
    } finally {
      leave(fileId, waiter)
      // Otherwise the note stays: it shows the commands of others that this save may follow.
      if (!isUnderWay) await note(fileId, record => forceSaveRemoved(record, waiter.id))
    }
  }

  /** Waits while too many force saves are pending. */
  async function noteWhenPossible (fileId: string, waiter: Waiter, ended: AbortSignal): Promise<void> {
    for (;;) {
      ended.throwIfAborted()
      const record = await recordStore.update(fileId, record => forceSaveNoted(record, waiter, clock.now()))
      if (forceSaveWith(record, waiter.id) !== undefined) return
      await waiter.sleep(POLL_INTERVAL_MS)
    }
  }

  /** Sends the command, and does not cancel it when nobody waits any longer: its save counts for others, too. */
  async function answerTo (waiter: Waiter): Promise<CommandAnswer> {
    waiter.cause = undefined
    try {
      await commands.send({ c: 'forcesave', key: waiter.key, userdata: waiter.id }, { signal: closing })
      return 'started'
    } catch (error) {
      const answer = error instanceof CommandFailedError ? ANSWERS.get(error.serverCode) : undefined
      if (answer === undefined) throw explained(error as Error)
      if (answer === 'not now') waiter.cause = error as Error
      return answer
    }
  }

  /** Waits until the record decides. */
  async function verdictAfter (
    fileId: string, waiter: Waiter, answer: CommandAnswer, grace: number, ended: AbortSignal
  ): Promise<Exclude<Verdict, 'ask'>> {
    const pause = answer === 'not now' ? NOT_NOW_PAUSE_MS : grace
    let quietAt = performance.now() + pause
    let seen: string | undefined
    let asked: boolean | undefined
    for (;;) {
      ended.throwIfAborted()
      const isBusy = arrivals.has(fileId) // before the record is read
      const { record } = await recordStore.read(fileId)
      const found = JSON.stringify(forceSaveWith(record, waiter.id)?.result)
      // Somebody else's save: newer saves may be under way, and take longer.
      if (found !== seen) quietAt = performance.now() + 3 * pause
      seen = found
      const left = quietAt - performance.now()
      // With a grace of 0 there is no time to ask the document server, so the record decides.
      const isEdited = asked ?? (grace === 0 ? sessionWith(record, waiter.key) !== undefined : undefined)
      const verdict = verdictOn(record, waiter.id, answer, { isBusy, isQuiet: left <= 0, isEdited, now: clock.now() })
      if (verdict === 'ask') asked = ['edited', undefined].includes(await commands.lookUp(waiter.key))
      else if (verdict !== undefined) return verdict
      else await waiter.sleep(Math.min(POLL_INTERVAL_MS * (0.8 + Math.random() * 0.4), left > 0 ? left + 1 : Infinity))
    }
  }

  /** A callback has arrived. */
  function arrived (fileId: string) {
    const at = clock.now()
    arrivals.set(fileId, (arrivals.get(fileId) ?? 0) + 1)
    return {
      /** Which of the pending force saves the callback answers. */
      relationOf (event: CallbackEvent): ForceSaveRelation {
        const { status, userdata } = event
        return { own: userdata, allUntil: status === 2 || status === 3 || isRepeat(event) ? at : undefined }
      },
      applied (): void {
        const count = arrivals.get(fileId)! - 1
        if (count > 0) arrivals.set(fileId, count)
        else arrivals.delete(fileId)
        wake(fileId)
      }
    }
  }

  /**
   * Notes that a save was not stored: `error` says why; without it, the document server could not assemble the save.
   * Also notes the refusal of a force save for the editors; `Sessions.saveRefused` does so for a final save. Never
   * rejects.
   */
  async function failed (
    event: CallbackEvent, relation: ForceSaveRelation = {}, error?: Error
  ): Promise<void> {
    const { fileId, key, status } = event
    if (key === undefined) return
    for (const waiter of waiters.get(fileId) ?? []) if (waiter.key === key) waiter.cause = error
    // A storage or its SDK may reject with anything, such as an error whose code is a number.
    const code = error === undefined ? ASSEMBLY_FAILED : codeOf(error)
    const isRetryable = (error as Partial<EditorError> | undefined)?.retryable === true
    await note(fileId, record => {
      const changed = forceSavesConcerned(record, key, relation, { code, isRetryable })
      if (status !== 6 && status !== 7) return changed
      const reason = { code, ...messageForUsers(error) }
      return refusalNoted(changed, refusedIdentityOf({ ...event, key }), { ...reason, now: clock.now() })
    }, relation)
  }

  /** Notes that a save was not stored because it, or a later one, is already stored. Never rejects. */
  async function skipped (request: SaveRequest): Promise<void> {
    const { fileId, key, relation = {} } = request
    if (key === undefined) return
    const identity = identityOf(request)
    await note(fileId, record => forceSavesSkipped(record, identity, relation), relation)
  }

  async function note (
    fileId: string, change: (record: SessionRecord) => SessionRecord, relation: ForceSaveRelation = {}
  ): Promise<void> {
    await recordStore.update(fileId, change).catch(err => {
      if (relation.own !== undefined || waiters.has(fileId)) {
        log.error({ err, fileId }, 'the outcome of a force save could not be noted')
      }
    })
  }

  /** Resolves when no call is waiting. */
  async function idle (): Promise<void> {
    while (requests.size > 0) await Promise.allSettled(requests)
  }

  function enter (fileId: string, waiter: Waiter): void {
    waiters.set(fileId, (waiters.get(fileId) ?? new Set()).add(waiter))
  }

  function leave (fileId: string, waiter: Waiter): void {
    const all = waiters.get(fileId)!
    all.delete(waiter)
    if (all.size === 0) waiters.delete(fileId)
  }

  /** Call this after this instance has changed the record of the file or applied one of its callbacks. */
  function wake (fileId: string): void {
    for (const waiter of waiters.get(fileId) ?? []) waiter.wake()
  }
}

/**
 * If nothing was changed since a refused force save, the document server repeats that save when the next one is
 * requested, before it answers the command.
 */
function isRepeat (event: CallbackEvent): boolean {
  return event.status === 6 && event.encrypted === false && event.forcesavetype === 0
}

function resultOf (verdict: Exclude<Verdict, 'again' | 'ask'>, fileId: string, { cause }: Waiter): ForceSaveResult {
  if ('saved' in verdict) {
    if (!verdict.saved) return verdict
    const { conflictFileId = fileId, revision } = verdict
    return { saved: true, stored: { fileId: conflictFileId, revision } }
  }
  const { retryable = verdict.isRetryable } = (cause ?? {}) as Partial<EditorError>
  throw new ForceSaveFailedError(verdict.failure, { retryable, ...(cause !== undefined && { cause }) })
}

function explained (error: Error): Error {
  if (!isAnswer(error, COMMAND_CODE.callback)) return error
  return new ForceSaveFailedError(
    'the document server refused it, because the editors have no callback URL: open the document with the control\'s configuration',
    { cause: error }
  )
}

function closingError (): Error {
  return new ForceSaveFailedError('the application is closing', { retryable: true })
}

function createSleeper (ended: AbortSignal): Pick<Waiter, 'wake' | 'sleep'> {
  let waking = new AbortController()
  return {
    wake () { waking.abort() },
    async sleep (milliseconds) {
      await delay(Math.min(milliseconds, MAX_TIMEOUT_MS), undefined, {
        signal: AbortSignal.any([waking.signal, ended])
      }).catch(() => {})
      waking = new AbortController()
    }
  }
}
