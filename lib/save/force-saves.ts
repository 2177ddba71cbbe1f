import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { ForceSaveOptions, ForceSaveResult } from '../../types/control.js'
import type { CallbackEvent } from '../../types/events.js'
import { codeOf } from '../diagnostics.js'
import { COMMAND_CODE } from '../document-server/commands.js'
import {
  CommandFailedError, type EditorError, FileNotFoundError, ForceSaveFailedError, ForceSaveTimeoutError
} from '../errors.js'
import {
  ASSEMBLY_FAILED, forceSaveIdle, forceSaveNoted, forceSaveRemoved, forceSavesConcerned, forceSavesRepeated,
  forceSavesSuperseded, forceSaveWith
} from '../sessions/force-save-notes.js'
import type { SessionServices } from '../sessions/locks.js'
import type { ForceSaveRelation, SessionRecord } from '../sessions/record.js'
import { NOT_DURABLE } from '../sessions/record-store.js'
import { refusalNoted } from '../sessions/save-changes.js'
import { withTimeout } from '../util/limits.js'
import { createQueue } from '../util/queue.js'
import { assertOptions, isNumber, MAX_TIMEOUT_MS, numberFrom, rule, type Rules, Signal } from '../util/validate.js'
import { type CommandAnswer, createOutcomeResolver, type Verdict } from './force-save-outcome.js'
import { identityOf, messageForUsers, refusedIdentityOf, type SaveRequest } from './save-request.js'

/** A waiting call on this instance. */
interface Waiter {
  readonly id: string
  readonly key: string
  /** Why this instance refused the save, or the document server's answer `not now` to the command. */
  cause?: Error | undefined
  wake (): void
}

/** One command, and the calls on this instance that share it. */
interface Command {
  readonly key: string
  readonly grace: number | undefined
  callers: number
  /** What is edited from now on need not be in its save, so that later calls need the next command. */
  isSent: boolean
  /** Aborted when the last caller has gone. */
  readonly ended: AbortController
}

const ID_PREFIX = 'force-save-'
const ID = new RegExp(`^${ID_PREFIX}[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

const DEFAULT_TIMEOUT_MS = 60_000
const rules: Rules<ForceSaveOptions> = {
  timeout: rule(
    `must be a number of milliseconds from 1 to ${MAX_TIMEOUT_MS}`,
    value => isNumber(value) && value > 0 && value <= MAX_TIMEOUT_MS
  ),
  grace: rule(`must be a number of milliseconds from 0 to ${MAX_TIMEOUT_MS}`, numberFrom(0, MAX_TIMEOUT_MS)),
  signal: Signal
}

/** Only the latest durations count. */
const MAX_DURATIONS = 20

/** How often a waiting instance reads the record, to see what other instances have noted. */
const POLL_INTERVAL_MS = 250

/** Expected answers. Any other is an error. */
const ANSWERS: ReadonlyMap<number, CommandAnswer> = new Map([
  [COMMAND_CODE.unknownKey, 'unknown key'],
  [COMMAND_CODE.nothingToSave, 'nothing new'],
  [COMMAND_CODE.internal, 'not now']
])

/**
 * Makes the document server save by force, and waits until the save is stored, by whichever instance. Instances
 * communicate through the record: before the command is sent, it is noted there with a random id, which the callback of
 * its save repeats as `userdata`; the instance that handles a callback notes the outcome. A waiting call holds neither
 * the file's queue nor its lock.
 */
export type ForceSaves = ReturnType<typeof createForceSaves>

export function createForceSaves (
  { storage, commands, hooks, log, settings: { clock }, recordStore, shutdown: { closing } }: SessionServices
) {
  /** Waiting calls by fileId. */
  const waiters = new Map<string, Set<Waiter>>()
  /** How many callbacks have arrived but are not applied yet, by fileId. */
  const arrivals = new Map<string, number>()
  const requests = new Set<Promise<unknown>>()
  /** The latest command for each file, key and grace. */
  const latest = new Map<string, Command & { readonly result: Promise<ForceSaveResult> }>()
  /** One command for a key is in flight at a time. */
  const inTurn = createQueue()
  /** How many milliseconds recent force saves have taken. */
  let durations: readonly number[] = []

  return { request, arrived, failed, skipped, recordChanged: wake, idle }

  /** Implements `EditorControl.forceSave`. */
  async function request (fileId: string, key: string, options: ForceSaveOptions = {}): Promise<ForceSaveResult> {
    assertOptions(rules, options)
    const { signal, grace, timeout = DEFAULT_TIMEOUT_MS } = options
    signal?.throwIfAborted()
    if (hooks.isInHookOf(fileId)) {
      throw new ForceSaveFailedError(
        'it was requested in a hook that a callback of this document waits for, and so would the save: request it when the hook has returned'
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

  /** The command that is about to be sent: one that has been sent may miss the latest changes. */
  function commandFor (fileId: string, key: string, grace: number | undefined) {
    const shared = JSON.stringify([fileId, key, grace])
    const waiting = latest.get(shared)
    if (waiting !== undefined && !waiting.isSent && !waiting.ended.signal.aborted) return waiting
    const command = { key, grace, callers: 0, isSent: false, ended: new AbortController() }
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

  /** A callback has arrived. */
  function arrived (fileId: string) {
    const waiting = [...waiters.get(fileId) ?? []].map(({ id }) => id)
    arrivals.set(fileId, (arrivals.get(fileId) ?? 0) + 1)
    return {
      /**
       * How the callback relates to the pending force saves. Call it before earlier callbacks of the file have been
       * applied.
       */
      async relationOf (event: CallbackEvent): Promise<ForceSaveRelation | undefined> {
        const { status, userdata } = event
        if (isRepeat(event)) return { ...ownOf(userdata), isRepeat: true, waiting: await allWaiting(fileId) }
        if (status === 6 || status === 7) return ownOf(userdata)
        return waiting.length > 0 ? { waiting } : undefined
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
   * A save was not stored. Without `error`, the document server could not assemble it. Also notes for the editors that
   * a force save was refused; for a final save, `Sessions.saveRefused` does. Never rejects.
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
      const changed = forceSavesConcerned(record, { key, status }, relation, { code, isRetryable })
      if (status !== 6 && status !== 7) return changed
      const reason = { code, ...messageForUsers(error) }
      return refusalNoted(changed, refusedIdentityOf({ ...event, key }), { ...reason, now: clock.now() })
    }, relation)
  }

  /** A save was not stored because it, or a later one, is already stored. Never rejects. */
  async function skipped (request: SaveRequest, why: 'repeated' | 'superseded'): Promise<void> {
    const { fileId, relation = {} } = request
    const identity = identityOf(request)
    if (identity === undefined) return
    const change = why === 'repeated' ? forceSavesRepeated : forceSavesSuperseded
    await note(fileId, record => change(record, identity, relation), relation)
  }

  /** Resolves when no call is waiting. */
  async function idle (): Promise<void> {
    while (requests.size > 0) await Promise.allSettled(requests)
  }

  async function run (fileId: string, command: Command): Promise<ForceSaveResult> {
    const { key, ended: { signal: ended } } = command
    const answered = await turnOf(key)
    ended.addEventListener('abort', answered)
    try {
      return await runInTurn(fileId, command, answered)
    } finally {
      answered()
    }
  }

  /** Resolves when no command for the key is in flight, to what lets the next one be sent. */
  async function turnOf (key: string): Promise<() => void> {
    return await new Promise(resolve => {
      inTurn.run(key, async () => await new Promise<void>(_resolve => resolve(() => _resolve())))
    })
  }

  /**
   * Ends when `ended` is aborted: nobody is waiting for the result any longer. `answered`: called when the document
   * server has answered the command.
   */
  async function runInTurn (fileId: string, command: Command, answered: () => void): Promise<ForceSaveResult> {
    const { key, grace, ended: { signal: ended } } = command
    const id = `${ID_PREFIX}${randomUUID()}`
    const sleeper = createSleeper(ended)
    const waiter: Waiter = { id, key, wake: sleeper.wake }
    const judge = createOutcomeResolver({
      id,
      key,
      clock,
      isBusy: () => arrivals.has(fileId),
      isLeft: () => isLeft,
      slowest: Math.max(0, ...durations),
      grace
    })
    let answer: CommandAnswer | undefined
    let answering = Promise.resolve()
    let isLeft = false
    let startedAt = performance.now()
    let failure: Error | undefined
    let verdict: Verdict | undefined
    enter(fileId, waiter)
    try {
      ended.throwIfAborted()
      if (await storage.stat(fileId) === null) throw new FileNotFoundError()
      judge.begin(await noteWhenPossible(fileId, waiter, sleeper, ended))
      command.isSent = true
      sendCommand()

      for (;;) {
        ended.throwIfAborted()
        if (failure !== undefined) throw failure
        const known = answer // before the record is read: a repeat is noted there before the command is answered
        let { record } = await recordStore.read(fileId)
        // The note was lost with the record. A new note would have another place among the notes, whose order shows
        // which command came later.
        if (forceSaveWith(record, id) === undefined) {
          throw new ForceSaveFailedError(
            'the session record was lost, perhaps because the document was deleted',
            { retryable: true }
          )
        }
        if (known !== undefined && known !== 'started' && forceSaveWith(record, id)?.isIdle !== true) {
          record = await recordStore.update(fileId, current => forceSaveIdle(current, id), NOT_DURABLE)
        }
        const decided = judge.decide(record, known)
        if (decided !== undefined && judge.isToBeConfirmed(decided, known)) {
          answer = undefined
          sendCommand()
        } else if (decided !== undefined) {
          verdict = decided
          if (answer === 'started') durations = [...durations, performance.now() - startedAt].slice(-MAX_DURATIONS)
          return resultOf(verdict, waiter)
        }
        await sleeper.sleep(Math.min(POLL_INTERVAL_MS * (0.8 + Math.random() * 0.4), judge.decidesIn()))
      }
    } finally {
      leave(fileId, waiter)
      if (ended.aborted) await answering // nobody is waiting
      // If the document server may still be working on the save, the note stays, so that others know that a save may
      // follow.
      const isUnderWay = answer === 'started' || (answer === undefined && closing.aborted)
      if (verdict !== undefined || !isUnderWay) await note(fileId, record => forceSaveRemoved(record, id))
    }

    function sendCommand (): void {
      startedAt = performance.now()
      waiter.cause = undefined
      answering = commands.send({ c: 'forcesave', key, userdata: id }, { signal: closing })
        .then(() => { answer = 'started' }, async error => {
          const known = error instanceof CommandFailedError ? ANSWERS.get(error.serverCode) : undefined
          if (known === undefined) failure = explained(error)
          if (known === 'not now') waiter.cause = error
          const found = known === 'not now' || known === 'nothing new' ? await commands.lookUp(key) : undefined
          isLeft = found === 'known' || (found !== 'edited' && known === 'not now')
          answer = known
        })
        .finally(() => {
          answered()
          sleeper.wake()
        })
    }
  }

  /** Waits while too many force saves are pending. Resolves to the record with the note. */
  async function noteWhenPossible (
    fileId: string, waiter: Waiter, { sleep }: ReturnType<typeof createSleeper>, ended: AbortSignal
  ): Promise<SessionRecord> {
    for (;;) {
      ended.throwIfAborted()
      const record = await recordStore.update(
        fileId,
        record => forceSaveNoted(record, waiter, clock.now()),
        NOT_DURABLE
      )
      if (forceSaveWith(record, waiter.id) !== undefined) return record
      await sleep(POLL_INTERVAL_MS)
    }
  }

  async function allWaiting (fileId: string): Promise<string[]> {
    const { forceSaves = [] } = (await recordStore.read(fileId).catch(() => undefined))?.record ?? {}
    return forceSaves.map(({ id }) => id)
  }

  async function note (
    fileId: string, change: (record: SessionRecord) => SessionRecord, relation: ForceSaveRelation = {}
  ): Promise<void> {
    await recordStore.update(fileId, change, NOT_DURABLE).catch(err => {
      if (relation.own !== undefined || waiters.has(fileId)) {
        log.error({ err, fileId }, 'the outcome of a force save could not be noted')
      }
    })
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

/** The document server repeats a refused force save when the next one is requested and nothing was changed since. */
function isRepeat (event: CallbackEvent): boolean {
  return event.status === 6 && event.encrypted === false && event.forcesavetype === 0
}

function ownOf (userdata: string | undefined): ForceSaveRelation | undefined {
  return userdata !== undefined && ID.test(userdata) ? { own: userdata } : undefined
}

function resultOf (verdict: Verdict, { cause }: Waiter): ForceSaveResult {
  if (!('failure' in verdict)) return verdict
  const { retryable = verdict.isRetryable } = (cause ?? {}) as Partial<EditorError>
  throw new ForceSaveFailedError(verdict.failure, { retryable, ...(cause !== undefined && { cause }) })
}

function explained (error: Error): Error {
  if (!(error instanceof CommandFailedError) || error.serverCode !== COMMAND_CODE.callback) return error
  return new ForceSaveFailedError(
    'the document server refused it, because the editors have no callback URL: open the document with the control\'s configuration',
    { cause: error }
  )
}

function closingError (): Error {
  return new ForceSaveFailedError('the application is closing', { retryable: true })
}

function createSleeper (ended: AbortSignal) {
  let waking = new AbortController()
  return {
    wake (): void { waking.abort() },
    /** Resolves after this time or when woken; at once if `wake` was called meanwhile. */
    async sleep (milliseconds: number): Promise<void> {
      await delay(Math.min(milliseconds, MAX_TIMEOUT_MS), undefined, {
        signal: AbortSignal.any([waking.signal, ended])
      }).catch(() => {})
      waking = new AbortController()
    }
  }
}
