import type { Faults, ForceSaveOptions } from 'onlyoffice-emulator'
import type { OutsideChange } from './outside.js'
import { type Random, random } from './random.js'
import type { Access } from './unreliable-storage.js'

/** One of the two instances of the service. */
export type Side = 'a' | 'b'

/** The nth of an instance's moments with the storage that are of this kind. */
export interface Moment {
  readonly access: Access
  readonly nth: number
}

/** What goes wrong while something is done. */
export type Trouble =
  | { readonly on: 'file', readonly fault: Faults['file'] }
  | { readonly on: 'callback', readonly fault: Faults['callback'] }
  /** The next 1 or 4 does not arrive. */
  | { readonly on: 'notice' }
  /** The document can't be assembled. */
  | { readonly on: 'assembly' }
  /** An access to the storage fails: before it does anything, or when the record was changed. */
  | { readonly on: 'storage', readonly moment: Moment }
  /** The instance dies. */
  | { readonly on: 'instance', readonly moment: Moment }
  /** It stands still while others go on, for longer than they wait for it. */
  | { readonly on: 'pause', readonly moment: Moment, readonly edits: boolean }
  /** The file is changed by others. */
  | { readonly on: 'outside', readonly moment: Moment, readonly change: OutsideChange }
  /** Each callback is posted to the other instance as well, at the same moment, and pages are opened meanwhile. */
  | { readonly on: 'echo' }

/** What somebody does. Numbers choose among what there is at that moment, so that any part of a list of steps can be run. */
export type Step = { readonly side: Side } & (
  | { readonly does: 'open', readonly user: number, readonly joins: boolean, readonly trouble: Trouble | null }
  | { readonly does: 'join', readonly page: number }
  /** Somebody opens it for reading only, and stays. */
  | { readonly does: 'view' }
  | { readonly does: 'edit', readonly session: number }
  | { readonly does: 'forceSave', readonly session: number, readonly type: NonNullable<ForceSaveOptions['type']>, readonly trouble: Trouble | null }
  | { readonly does: 'close', readonly session: number, readonly trouble: Trouble | null }
  | { readonly does: 'disconnect', readonly session: number, readonly abrupt: boolean }
  | { readonly does: 'reconnect', readonly session: number }
  | { readonly does: 'replay', readonly save: number, readonly both: boolean }
  | { readonly does: 'changeOutside', readonly change: OutsideChange }
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
  [18, 'open'], [3, 'view'], [6, 'join'], [24, 'edit'], [10, 'forceSave'], [24, 'close'], [4, 'disconnect'], [3, 'reconnect'],
  [4, 'replay'], [3, 'changeOutside'], [4, 'editCopy'], [6, 'pass'], [1, 'crash']
] as const

function stepFrom (from: Random, likings: ReadonlyArray<readonly [number, Step['does']]>): Step {
  const side = from.one(['a', 'b'] as const)
  const session = from.integer(1000)
  const does = from.weighted(likings)
  switch (does) {
    case 'open': return { does, side, user: from.integer(4), joins: from.chance(0.75), trouble: from.chance(0.75) ? null : noticeTroubleFrom(from) }
    case 'join': return { does, side, page: from.integer(1000) }
    case 'forceSave': return { does, side, session, type: from.one(['button', 'command', 'timer'] as const), trouble: troubleFrom(from) }
    case 'close': return { does, side, session, trouble: troubleFrom(from) }
    case 'disconnect': return { does, side, session, abrupt: from.chance(0.4) }
    case 'replay': return { does, side, save: from.integer(1000), both: from.chance(0.5) }
    case 'pass': return { does, side, ms: from.weighted([[5, 5000], [4, 5 * MINUTE], [1, 60 * MINUTE], [1, 2 * MINUTE]]) }
    case 'crash': return { does, side, session, midSave: from.chance(0.7), opens: from.chance(0.5), fate: from.one(['kept', 'lost'] as const) }
    case 'view': return { does, side }
    case 'changeOutside': return { does, side, change: outsideFrom(from) }
    case 'editCopy': return { does, side, copy: from.integer(1000), meanwhile: from.chance(0.5) }
    default: return { does, side, session }
  }
}

function troubleFrom (from: Random): Trouble | null {
  if (from.chance(0.4)) return null
  const moment = momentFrom(from)
  return from.weighted<() => Trouble | null>([
    [26, () => ({ on: 'file', fault: fileFaultFrom(from) })],
    [10, () => ({ on: 'assembly' })],
    [16, () => ({ on: 'storage', moment })],
    [16, () => ({ on: 'instance', moment })],
    [20, () => ({ on: 'echo' })],
    [16, () => ({ on: 'pause', moment, edits: from.chance(0.6) })],
    [24, () => ({ on: 'outside', moment, change: outsideFrom(from) })],
    [16, () => noticeTroubleFrom(from)],
    [10, () => ({ on: 'callback', fault: { type: from.one(['duplicate', 'reorder'] as const) } })]
  ])()
}

/** What can go wrong with a 1 or a 4. */
function noticeTroubleFrom (from: Random): Trouble {
  return from.weighted<() => Trouble>([
    [3, () => ({ on: 'notice' })],
    [3, () => ({ on: 'callback', fault: { type: from.one(['duplicate', 'reorder'] as const) } })],
    [2, () => ({ on: 'outside', moment: momentFrom(from), change: outsideFrom(from) })]
  ])()
}

/** Publishing is where most can go wrong. */
function momentFrom (from: Random): Moment {
  const [access, most] = from.weighted([
    [6, ['publish', 2]], [6, ['set', 4]], [3, ['get', 8]], [3, ['stat', 6]], [3, ['download', 2]], [2, ['stage', 2]], [2, ['create', 2]], [2, ['replace', 2]], [1, ['read', 2]], [1, ['publish', 4]]
  ] as const)
  return { access, nth: 1 + from.integer(most) }
}

function outsideFrom (from: Random): OutsideChange {
  return from.weighted([[8, 'replaced'], [5, 'replaced by the host'], [4, 'written again'], [3, 'removed and made anew'], [1, 'removed'], [1, 'removed by the host']] as const)
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
