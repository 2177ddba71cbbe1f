import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { EditorControlDefaults } from '../../types/control.js'
import type { FinishedEvent, ForceSavedEvent } from '../../types/events.js'
import type { HookContext } from '../../types/hooks.js'
import type { FastifyOnlyofficeOptions } from '../../types/options.js'
import type { SessionEndEvent, SessionStartEvent } from '../../types/sessions.js'
import { mayUse, userOf } from '../control/defaults.js'
import { channels } from '../diagnostics.js'
import { saveIdOf } from '../save/save-request.js'
import { type HookCall, runHook, type Services } from '../services.js'
import { type SessionRecord, liveSessions, type Session, stateOf } from '../sessions/record.js'
import type { Cause } from '../sessions/record-store.js'
import { BoundedMap } from '../util/limits.js'
import { createQueue } from '../util/queue.js'

type HookName = 'onCallback' | 'onSaved' | 'onSaveFailed' | 'onSessionStart' | 'onSessionEnd'
type EventOf<Name extends HookName> = Parameters<NonNullable<FastifyOnlyofficeOptions[Name]>>[0]

interface RunningHook {
  readonly instance: Services['settings']
  readonly fileId: string
  hasReturned: boolean
  /** The hook in which a version of this file was restored. */
  readonly outer: RunningHook | undefined
}

/**
 * Also covers work that a hook leaves running after it has returned. One for all instances: before Node.js 24, each
 * that was ever used costs time for every promise in the process.
 */
const runningHooks = new AsyncLocalStorage<RunningHook>()

const MAX_REMEMBERED_FAILURES = 1000

/** Callbacks wait for these hooks, and with them later callbacks of the file. */
const AWAITED: ReadonlySet<HookName> = new Set(['onCallback', 'onSaved', 'onSaveFailed'])

export type Hooks = ReturnType<typeof createHooks>

/** Calls the application's hooks. A hook's error or timeout is logged and has no other effect. */
export function createHooks (services: Pick<Services, 'settings' | 'log' | 'shutdown'>) {
  const { settings, log } = services
  const reportedFailures = new BoundedMap<string, true>(MAX_REMEMBERED_FAILURES)

  return { call, run, saveFailed, isInHookOf, canEdit }

  async function call<Name extends HookName> (name: Name, event: EventOf<Name>): Promise<void> {
    const hook = settings[name] as ((value: typeof event, context: HookContext) => void | Promise<void>) | undefined
    if (!hook) return
    const { fileId, key } = event
    try {
      await run(context => hook(event, context), { name, fileId, key }, AWAITED.has(name))
    } catch (err) {
      log.error({ err, fileId, key }, `the hook ${name} failed`)
    }
  }

  /** `isAwaited`: a callback of the file waits for the hook. */
  async function run<Result> (
    hook: (context: HookContext) => Result | Promise<Result>, call: HookCall, isAwaited = true
  ): Promise<Result> {
    const { fileId = '' } = call
    const running: RunningHook = { instance: settings, fileId, hasReturned: !isAwaited, outer: runningHooks.getStore() }
    try {
      return await runHook(services, context => runningHooks.run(running, () => hook(context)), call)
    } finally {
      running.hasReturned = true
    }
  }

  /** Calls `onSaveFailed`, once for each save. */
  async function saveFailed (event: FinishedEvent | ForceSavedEvent, error: Error): Promise<void> {
    const { fileId, key, status, users } = event
    const id = saveIdOf(event)
    if (reportedFailures.has(id)) return
    reportedFailures.set(id, true)
    const { code = 'UNKNOWN' } = error as { readonly code?: string }
    await call('onSaveFailed', { fileId, status, code, error, ...(key && { key }), ...(users && { users }) })
  }

  /**
   * Calls the hook `canEdit`. Resolves to the reason why the user may not edit the document now (`''` if none was
   * given), or to `null` if they may. Never rejects.
   */
  async function canEdit (
    fileId: string, defaults: EditorControlDefaults, request: FastifyRequest | undefined
  ): Promise<string | null> {
    const { canEdit: hook } = settings
    if (!hook || !mayUse(defaults, 'change')) return null
    try {
      const answer: unknown = await runHook<unknown>(
        services,
        context => hook({ fileId, user: userOf(defaults) }, context),
        { name: 'canEdit', fileId, request }
      )
      if (answer === true) return null
      if (answer === false || typeof answer === 'string') return answer || ''
      throw new TypeError('canEdit returned something other than true, false or a reason')
    } catch (err) {
      log.error({ err, fileId }, 'the hook canEdit failed: the document opens for viewing')
      return ''
    }
  }

  /** Whether the caller runs in a hook that a callback of this file waits for. */
  function isInHookOf (fileId: string): boolean {
    for (let hook = runningHooks.getStore(); hook !== undefined; hook = hook.outer) {
      if (hook.instance === settings && hook.fileId === fileId && !hook.hasReturned) return true
    }
    return false
  }
}

/** Maximum number of events whose hook is waiting or running. */
const MAX_PENDING = 10_000

/** Maximum number of sessions whose start is remembered to compute their duration. */
const MAX_STARTS = 10_000

/**
 * Calls `onSessionStart` and `onSessionEnd`, and publishes the same for diagnostics. Nobody waits for these hooks:
 * neither a callback nor a save of the file. The events of one session are delivered one after the other.
 */
export function createSessionEvents (hooks: Hooks, log: FastifyBaseLogger) {
  const queue = createQueue()
  let pending = 0
  /** Start times by the monotonic clock, of sessions that started while the channel had a subscriber. */
  const starts = new BoundedMap<string, number>(MAX_STARTS)

  return {
    /** Called when this instance has changed a record. Reports the sessions that became live or ended. */
    changed (fileId: string, before: SessionRecord, after: SessionRecord, cause?: Cause): void {
      const [old, current] = [liveSessions(before), liveSessions(after)]
      for (const { key } of without(old, current)) {
        deliver('onSessionEnd', endEvent(fileId, key, reasonOf(before, after, key, cause), cause))
      }
      for (const { key } of without(current, old)) deliver('onSessionStart', { fileId, key, ...usersOf(key, cause) })
    },
    /** Called when a session has ended whose file, and usually its record, no longer exists. */
    endedAfterDeletion (fileId: string, cause: Cause): void {
      deliver('onSessionEnd', endEvent(fileId, cause.key, cause.reason ?? 'lost', cause))
    },
    /** Resolves when no hook is running. */
    idle: queue.idle
  }

  function deliver (...[name, event]: ['onSessionStart', SessionStartEvent] | ['onSessionEnd', SessionEndEvent]): void {
    const { fileId, key } = event
    const id = JSON.stringify([fileId, key])
    publish(id, event)
    if (pending === MAX_PENDING) {
      return log.error(
        { fileId, key },
        `the hook ${name} was not called: ${MAX_PENDING} earlier calls of session hooks have not ended`
      )
    }
    pending++
    // `call` logs failures.
    queue.run(id, async () => await hooks.call(name, event)).finally(() => pending--).catch(() => {})
  }

  function publish (id: string, event: SessionStartEvent | SessionEndEvent): void {
    if (!channels.session.hasSubscribers) return
    const { fileId, key } = event
    const start = starts.get(id)
    starts.delete(id)
    if ('reason' in event) {
      channels.session.publish({
        event: 'ended',
        fileId,
        key,
        outcome: event.reason,
        ...(start !== undefined && { durationMs: performance.now() - start })
      })
    } else {
      starts.set(id, performance.now())
      channels.session.publish({ event: 'started', fileId, key })
    }
  }
}

/** The sessions whose keys the others do not have. */
function without (sessions: readonly Session[], others: readonly Session[]): readonly Session[] {
  return sessions.filter(({ key }) => !others.some(other => other.key === key))
}

function endEvent (
  fileId: string, key: string, reason: SessionEndEvent['reason'], cause: Cause | undefined
): SessionEndEvent {
  return { fileId, key, reason, ...(reason !== 'lost' && usersOf(key, cause)) }
}

/**
 * A change may also end sessions other than its own: one of an instance that died, or the least important of too many.
 */
function reasonOf (
  before: SessionRecord, after: SessionRecord, key: string, cause: Cause | undefined
): SessionEndEvent['reason'] {
  const save = after.saves.find(save => save.status === 2 && save.key === key && !before.saves.includes(save))
  if (save !== undefined && save.path !== undefined) return 'saved'
  if (cause?.key === key && cause.reason !== undefined) return cause.reason
  if (save !== undefined) return 'discarded'
  return stateOf(after, key) === 'refused' ? 'refused' : 'lost'
}

function usersOf (key: string, cause: Cause | undefined): { readonly users?: readonly string[] } {
  return cause?.key === key && cause.users !== undefined ? { users: cause.users } : {}
}
