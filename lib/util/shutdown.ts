import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

/** How the plugin stops: three signals that are aborted one after the other. */
export interface Shutdown {
  /** The app is closing. */
  readonly closing: AbortSignal
  /** `timeouts.close` has passed: the saves in progress are refused, so that the document server keeps them. */
  readonly endSaves: AbortSignal
  /** Ends everything that still waits, such as for a hook or a storage. */
  readonly endAll: AbortSignal
  /** Starts closing. Resolves when `idle` does, at the latest half a second after `timeouts.close`. */
  start (idle: () => Promise<void>): Promise<void>
}

/** Time for refused saves to clean up. */
const CLEAN_UP_MS = 500

/** `timeout`: milliseconds, `timeouts.close`. */
export function createShutdown (timeout: number): Shutdown {
  const [closing, endSaves, endAll] = [new AbortController(), new AbortController(), new AbortController()]
  setMaxListeners(0, closing.signal, endSaves.signal, endAll.signal) // every save and every request listens

  return {
    closing: closing.signal,
    endSaves: endSaves.signal,
    endAll: endAll.signal,
    async start (idle) {
      const reason = new Error('The application is closing')
      closing.abort(reason)
      for (const [controller, milliseconds] of [[endSaves, timeout], [endAll, CLEAN_UP_MS]] as const) {
        await Promise.race([idle(), delay(milliseconds, undefined, { ref: false })])
        controller.abort(reason)
      }
    }
  }
}
