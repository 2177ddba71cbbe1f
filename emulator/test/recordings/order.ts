import type { Entry } from './log.js'
import type { Step } from './recording.js'
import { TICK_MS } from './virtual-time.js'

/** How long a dropped editor of the recorder went on before it closed, for the request that this caused. */
export function waitedWhenDropped (steps: readonly Step[], index: number): number {
  const close = steps[index - 1]
  if (close?.kind !== 'client' || close.action !== 'close') return 0
  const drop = steps.find(step => step.kind === 'editor' && step.message.type === 'drop' && step.user === close.user)
  return drop === undefined ? 0 : close.at - drop.at
}

/** The download that an asynchronous conversion starts may come before its answer or after it. */
export function unordered (exchanges: readonly Entry[]): Entry[] {
  const ordered = [...exchanges]
  for (const [index, answer] of exchanges.entries()) {
    const before = exchanges[index - 1]
    if (before?.name.startsWith('GET ') !== true || answer.at - before.at > TICK_MS || !isPending(answer)) continue
    ordered[index] = before
    ordered[index - 1] = answer
  }
  return ordered
}

function isPending ({ value }: Entry): boolean {
  return /"?percent"?>?:?0[<,]/i.test(JSON.stringify(value))
}
