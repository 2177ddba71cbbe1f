import { setTimeout } from 'node:timers/promises'

/** The only source of time in the document server: milliseconds since the epoch, and a pause. */
export interface Clock {
  now (): number
  wait (milliseconds: number): Promise<void>
}

export function createClock (now: () => number = Date.now): Clock {
  return { now, wait: async milliseconds => { await setTimeout(milliseconds) } }
}

/** Whole seconds, as tokens count. */
export function seconds (clock: Clock): number {
  return Math.floor(clock.now() / 1000)
}
