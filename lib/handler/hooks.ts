import type { FastifyBaseLogger } from 'fastify'
import type { FinishedEvent, ForceSavedEvent } from '../../types/events.js'
import type { EditorOptions } from '../../types/options.js'
import { HookTimeoutError } from '../errors.js'
import type { Settings } from '../options.js'
import { saveIdOf } from '../save/save-request.js'
import { withTimeout } from '../with-timeout.js'

type HookName = 'onCallback' | 'onSaved' | 'onSaveFailed'
type EventOf<Name extends HookName> = Parameters<NonNullable<EditorOptions[Name]>>[0]

/** Calls the application's hooks. An error of a hook, or its timeout, is logged and has no other effect. */
export interface Hooks {
  call <Name extends HookName> (name: Name, event: EventOf<Name>): Promise<void>
  /** Calls `onSaveFailed`, once for each save. */
  saveFailed (event: FinishedEvent | ForceSavedEvent, error: Error): Promise<void>
}

interface Dependencies {
  readonly settings: Pick<Settings, HookName | 'timeouts'>
  readonly log: FastifyBaseLogger
  /** Ends all waiting. */
  readonly signal: AbortSignal
}

const MAX_REMEMBERED_FAILURES = 1000

export function createHooks ({ settings, log, signal }: Dependencies): Hooks {
  const reportedFailures = new Set<string>()

  const hooks: Hooks = {
    async call (name, event) {
      const hook = settings[name] as ((value: typeof event) => void | Promise<void>) | undefined
      if (!hook) return
      try {
        await withTimeout(() => hook(event), { milliseconds: settings.timeouts.hooks, timeoutError: ms => new HookTimeoutError(name, ms), signal })
      } catch (err) {
        log.error({ err }, `the hook ${name} failed`)
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
    }
  }
  return hooks
}
