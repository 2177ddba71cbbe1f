import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

/** How the service stops: three signals that are aborted one after the other. */
export interface Shutdown {
  /** The app is closing. */
  readonly closing: AbortSignal
  /** Saves had `timeouts.close` to finish: their downloads end, and the document server keeps what they would have stored. */
  readonly endSaves: AbortSignal
  /** Nothing is waited for any more. */
  readonly endAll: AbortSignal
  /** Begins to close. Resolves when `idle` does, or else half a second after `timeouts.close`. */
  start (idle: () => Promise<void>): Promise<void>
}

/** After its download has ended a save needs a moment to clean up. */
const CLEAN_UP_MS = 500

/** `timeout`: milliseconds, `timeouts.close`. */
export function createShutdown (timeout: number): Shutdown {
  const [closing, endSaves, endAll] = [new AbortController(), new AbortController(), new AbortController()]
  setMaxListeners(0, endSaves.signal, endAll.signal) // every save and every request listens

  return {
    closing: closing.signal,
    endSaves: endSaves.signal,
    endAll: endAll.signal,
    async start (idle) {
      const reason = new Error('The service is closing')
      closing.abort(reason)
      for (const [controller, milliseconds] of [[endSaves, timeout], [endAll, CLEAN_UP_MS]] as const) {
        await Promise.race([idle(), delay(milliseconds, undefined, { ref: false })])
        controller.abort(reason)
      }
    }
  }
}
