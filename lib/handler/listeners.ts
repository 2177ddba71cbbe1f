import type { FastifyBaseLogger } from 'fastify'
import type { FinishedEvent, ForceSavedEvent } from '../../types/events.js'
import type { EditorOptions } from '../../types/options.js'
import type { Settings } from '../options.js'
import { saveIdOf } from '../save/save-request.js'
import { within } from '../within.js'

type Name = 'onCallback' | 'onSaved' | 'onSaveFailed'
type EventOf<Listener extends Name> = Parameters<NonNullable<EditorOptions[Listener]>>[0]

/** Tells the host's listeners. What they throw, and that they do not end in time, is logged: it is the host's own affair. */
export interface HostListeners {
  <Listener extends Name> (name: Listener, event: EventOf<Listener>): Promise<void>
  /** Tells once of each save that was refused. */
  saveFailed (event: FinishedEvent | ForceSavedEvent, error: Error): Promise<void>
}

const MAX_REMEMBERED = 1000

export function hostListeners (settings: Settings, log: FastifyBaseLogger, over: AbortSignal): HostListeners {
  const failed = new Set<string>()

  async function tell<Listener extends Name> (name: Listener, event: EventOf<Listener>): Promise<void> {
    const listener = settings[name] as ((event: EventOf<Listener>) => void | Promise<void>) | undefined
    if (!listener) return
    try {
      await within(settings.timeouts.host, name, () => listener(event), over)
    } catch (err) {
      log.error({ err }, `${name} failed`)
    }
  }

  async function saveFailed (event: FinishedEvent | ForceSavedEvent, error: Error): Promise<void> {
    const { fileId, key, status, users } = event
    const id = saveIdOf(event)
    if (failed.has(id)) return
    if (failed.size === MAX_REMEMBERED) failed.clear()
    failed.add(id)
    const { code = 'UNKNOWN' } = error as { readonly code?: string }
    await tell('onSaveFailed', { fileId, status, code, error, ...(key && { key }), ...(users && { users }) })
  }

  return Object.assign(tell, { saveFailed })
}
