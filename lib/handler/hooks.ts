import type { FastifyBaseLogger } from 'fastify'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { FinishedEvent, ForceSavedEvent } from '../../types/events.js'
import type { EditorOptions } from '../../types/options.js'
import { HookTimeoutError } from '../errors.js'
import type { Settings } from '../options.js'
import { saveIdOf } from '../save/save-request.js'
import { withTimeout } from '../with-timeout.js'

type HookName = 'onCallback' | 'onSaved' | 'onSaveFailed' | 'onSessionStart' | 'onSessionEnd'
type EventOf<Name extends HookName> = Parameters<NonNullable<EditorOptions[Name]>>[0]

interface HookContext {
  readonly fileId: string
  hasReturned: boolean
  /** The hook in which a version of this file was restored. */
  readonly outer: HookContext | undefined
}

/** Calls the application's hooks. An error of a hook, or its timeout, is logged and has no other effect. */
export interface Hooks {
  call <Name extends HookName> (name: Name, event: EventOf<Name>): Promise<void>
  /** Calls `onSaveFailed`, once for each save. */
  saveFailed (event: FinishedEvent | ForceSavedEvent, error: Error): Promise<void>
  /** Whether the caller runs in a hook that a callback of this file waits for. */
  isInHookOf (fileId: string): boolean
}

interface Dependencies {
  readonly settings: Pick<Settings, HookName | 'timeouts'>
  readonly log: FastifyBaseLogger
  /** Ends all waiting. */
  readonly signal: AbortSignal
}

const MAX_REMEMBERED_FAILURES = 1000

/** Callbacks wait for these, and so do later callbacks of the file. */
const AWAITED: ReadonlySet<HookName> = new Set(['onCallback', 'onSaved', 'onSaveFailed'])

export function createHooks ({ settings, log, signal }: Dependencies): Hooks {
  const reportedFailures = new Set<string>()
  /** What the hook does after it has returned also runs in its context. */
  const running = new AsyncLocalStorage<HookContext>()

  const hooks: Hooks = {
    async call (name, event) {
      const hook = settings[name] as ((value: typeof event) => void | Promise<void>) | undefined
      if (!hook) return
      const context = { fileId: event.fileId, hasReturned: !AWAITED.has(name), outer: running.getStore() }
      try {
        await withTimeout(() => running.run(context, () => hook(event)), { milliseconds: settings.timeouts.hooks, timeoutError: ms => new HookTimeoutError(name, ms), signal })
      } catch (err) {
        log.error({ err }, `the hook ${name} failed`)
      } finally {
        context.hasReturned = true
      }
    },

    async saveFailed (event, error) {
      const { fileId, key, status, users } = event
      const id = saveIdOf(event)
      if (reportedFailures.has(id)) return
      if (reportedFailures.size === MAX_REMEMBERED_FAILURES) reportedFailures.clear()
      reportedFailures.add(id)
      const { code = 'UNKNOWN' } = error as { readonly code?: string }
      await hooks.call('onSaveFailed', { fileId, status, code, error, ...(key && { key }), ...(users && { users }) })
    },

    isInHookOf (fileId) {
      for (let context = running.getStore(); context !== undefined; context = context.outer) {
        if (!context.hasReturned && context.fileId === fileId) return true
      }
      return false
    }
  }
  return hooks
}
