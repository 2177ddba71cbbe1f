import type { Faults, ForceSaveOptions } from '../../../lib/testing/index.js'
import { type Random, random } from './random.js'

/** One of the two instances of the service. */
export type Side = 'a' | 'b'

/** What goes wrong with a save. */
export type Trouble =
  | { readonly on: 'file', readonly fault: Faults['file'] }
  | { readonly on: 'callback', readonly fault: Faults['callback'] }
  /** The document can't be assembled. */
  | { readonly on: 'assembly' }
  /** The instance's nth access to the storage from here on fails, once. */
  | { readonly on: 'storage', readonly side: Side, readonly nth: number }
  /** The instance dies before or after its nth access to the storage from here on. */
  | { readonly on: 'instance', readonly side: Side, readonly nth: number }
  /** Each callback is posted to the other instance as well, at the same moment, and pages are opened meanwhile. */
  | { readonly on: 'echo' }

/** What somebody does. Numbers choose among what there is at that moment, so that any part of a list of steps can be run. */
export type Step = { readonly side: Side } & (
  | { readonly does: 'open', readonly user: number, readonly joins: boolean }
  | { readonly does: 'join', readonly page: number }
  | { readonly does: 'edit', readonly session: number }
  | { readonly does: 'forceSave', readonly session: number, readonly type: NonNullable<ForceSaveOptions['type']>, readonly trouble: Trouble | null }
  | { readonly does: 'close', readonly session: number, readonly trouble: Trouble | null }
  | { readonly does: 'disconnect', readonly session: number, readonly abrupt: boolean }
  | { readonly does: 'reconnect', readonly session: number }
  | { readonly does: 'replay', readonly save: number, readonly both: boolean }
  | { readonly does: 'changeOutside' }
  /** Somebody edits a conflict copy as a document of its own; `meanwhile` a session that saved into it until then saves. */
  | { readonly does: 'editCopy', readonly copy: number, readonly meanwhile: boolean }
  | { readonly does: 'pass', readonly ms: number }
  | { readonly does: 'crash', readonly session: number, readonly midSave: boolean, readonly opens: boolean, readonly fate: 'kept' | 'lost' })

const MINUTE = 60_000

export function stepsOf (seed: number, count: number): Step[] {
  const from = random(seed)
  const likings = USUAL.map(([weight, does]) => [weight * from.one([0.3, 1, 3]), does] as const)
  return Array.from({ length: count }, () => stepFrom(from, likings))
}

/** Each run likes some more and some less, so that what is rare comes several times in some of them. */
const USUAL = [
  [18, 'open'], [6, 'join'], [24, 'edit'], [10, 'forceSave'], [24, 'close'], [4, 'disconnect'], [3, 'reconnect'],
  [4, 'replay'], [3, 'changeOutside'], [4, 'editCopy'], [6, 'pass'], [1, 'crash']
] as const

function stepFrom (from: Random, likings: ReadonlyArray<readonly [number, Step['does']]>): Step {
  const side = from.one(['a', 'b'] as const)
  const session = from.integer(1000)
  const does = from.weighted(likings)
  switch (does) {
    case 'open': return { does, side, user: from.integer(4), joins: from.chance(0.75) }
    case 'join': return { does, side, page: from.integer(1000) }
    case 'forceSave': return { does, side, session, type: from.one(['button', 'command', 'timer'] as const), trouble: troubleFrom(from, true) }
    case 'close': return { does, side, session, trouble: troubleFrom(from, false) }
    case 'disconnect': return { does, side, session, abrupt: from.chance(0.4) }
    case 'replay': return { does, side, save: from.integer(1000), both: from.chance(0.5) }
    case 'pass': return { does, side, ms: from.weighted([[5, 5000], [4, 5 * MINUTE], [1, 60 * MINUTE], [1, 2 * MINUTE]]) }
    case 'crash': return { does, side, session, midSave: from.chance(0.7), opens: from.chance(0.5), fate: from.one(['kept', 'lost'] as const) }
    case 'changeOutside': return { does, side }
    case 'editCopy': return { does, side, copy: from.integer(1000), meanwhile: from.chance(0.5) }
    default: return { does, side, session }
  }
}

/** A 4 that comes too late would tell of an end that isn't: the document server sends it before anything else of the document. */
function troubleFrom (from: Random, canBeLate: boolean): Trouble | null {
  if (from.chance(0.6)) return null
  const side = from.one(['a', 'b'] as const)
  return from.weighted<() => Trouble>([
    [40, () => ({ on: 'file', fault: fileFaultFrom(from) })],
    [20, () => ({ on: 'callback', fault: { type: canBeLate ? from.one(['duplicate', 'reorder'] as const) : 'duplicate' } })],
    [14, () => ({ on: 'assembly' })],
    [16, () => ({ on: 'storage', side, nth: 1 + from.integer(9) })],
    [7, () => ({ on: 'instance', side, nth: 1 + from.integer(18) })],
    [20, () => ({ on: 'echo' })]
  ])()
}

function fileFaultFrom (from: Random): Faults['file'] {
  return from.one<Faults['file']>([
    { type: 'reset', afterBytes: from.integer(12) },
    { type: 'html' },
    { type: 'html', status: 502 },
    { type: 'answer', status: 500, body: 'Internal Server Error' },
    { type: 'answer', status: 204 },
    { type: 'length', by: 7 }
  ])
}
