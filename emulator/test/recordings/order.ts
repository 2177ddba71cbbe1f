import type { Entry } from './log.js'
import { isCall, isRequest, type JsonObject, type Step } from './recording.js'
import { TICK_MS } from './virtual-time.js'

// Longer than a download of a converter that is running was ever waited for.
const STARTING_MS = 1000

/** How long an editor of the recorder that was dropped, or could not open, went on before it closed, for the request that this caused. */
export function waitedBeforeClosing (steps: readonly Step[], index: number): number {
  const close = steps[index - 1]
  if (close?.kind !== 'client' || close.action !== 'close') return 0
  const end = steps.find(step => step.kind === 'editor' && step.user === close.user && isEnd(step.message))
  return end === undefined ? 0 : close.at - end.at
}

function isEnd ({ type, data }: JsonObject): boolean {
  return type === 'drop' || (type === 'documentOpen' && (data as JsonObject).status === 'err')
}

/**
 * How long the recorder's first conversion waited for its converter to start, for the downloads of it; its answer comes at whole seconds.
 * Emulated ones begin at once.
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
