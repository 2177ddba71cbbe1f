import { isEnd, openedAt } from './events.js'
import type { Entry } from './log.js'
import { isCall, isRequest, type CallStep, type EditorStep, type JsonObject, type Step } from './recording.js'
import { TICK_MS } from './virtual-time.js'

// Longer than a download of a converter that is running was ever waited for.
const STARTING_MS = 1000

/**
 * How long an editor of the recorder that was dropped, or could not open, went on before it closed, for the request
 * that this caused.
 */
export function waitedBeforeClosing (steps: readonly Step[], index: number): number {
  const request = steps[index]!
  if (!isRequest(request)) return 0
  const leaver = (request.body?.actions as JsonObject[] | undefined)?.[0]?.userid
  const close = steps.slice(0, index).findLast(step => step.kind === 'client')
  const own = steps.slice(0, index).findLast(step => step.kind === 'client' && step.action === 'close' && step.user === leaver)
  if (own === undefined || close?.kind !== 'client' || close.action !== 'close') return 0
  const end = steps.find(step => step.kind === 'editor' && step.user === leaver && isEnd(step.message))
  return end === undefined ? 0 : own.at - openedAt(end as EditorStep, steps)
}

/** When a call was answered. Of several that were under way at once, those that began first count as answered first. */
export function answeredAt (step: CallStep, steps: readonly Step[]): number {
  const own = step.at + step.answer.took
  const later = steps.slice(steps.indexOf(step) + 1).filter(isCall).filter(({ at }) => at < own)
  return Math.min(own, ...later.map(({ at, answer }) => at + answer.took))
}

/**
 * How long the recorder's first conversion waited for its converter to start, for the downloads of it; its answer comes
 * at whole seconds. Emulated ones begin at once.
 */
export function waitedForConverter (steps: readonly Step[], index: number): number {
  const step = steps[index]!
  const first = steps.findIndex(({ kind }) => kind === 'conversion')
  const call = steps[first]
  const download = steps[first + 1]
  if (call === undefined || !isCall(call) || download === undefined || !isRequest(download)) return 0
  const waited = download.at - call.at
  if (waited < STARTING_MS || step.at >= call.at + call.answer.took || index < first) return 0
  return index === first ? waited - waited % 1000 : waited
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
