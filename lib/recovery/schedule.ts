import { setTimeout as delay } from 'node:timers/promises'
import type { Services } from '../services.js'
import type { RecoverForgotten } from './recovery.js'

/**
 * Recovers forgotten files again and again. `interval`: milliseconds between the end of a run and the start of the next one. The first
 * run comes at a random time within it, so that instances take turns.
 */
export async function recoverRegularly (recover: RecoverForgotten, interval: number, { log, shutdown: { closing: signal } }: Services): Promise<void> {
  let pause = Math.ceil(interval * Math.random())
  while (await delay(pause, true, { signal, ref: false }).catch(() => false)) {
    await recover({ signal }).catch(err => { if (!signal.aborted) log.warn({ err }, 'the document server\'s forgotten files could not be recovered') })
    pause = interval
  }
}
