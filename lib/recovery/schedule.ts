import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'
import type { RecoverForgotten } from './recovery.js'

interface Schedule {
  /** Milliseconds between the end of a run and the start of the next one. */
  readonly interval: number
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  /** Ends it. */
  readonly signal: AbortSignal
}

/** Recovers forgotten files again and again. The first run comes at a random time within the interval, so that instances take turns. */
export async function recoverRegularly (recover: RecoverForgotten, { interval, log, signal }: Schedule): Promise<void> {
  let pause = Math.ceil(interval * Math.random())
  while (await delay(pause, true, { signal, ref: false }).catch(() => false)) {
    await recover({ signal }).catch(err => { if (!signal.aborted) log.warn({ err }, 'the document server\'s forgotten files could not be recovered') })
    pause = interval
  }
}
