import { aboutBody, normalizer, type Normalize } from './allowed.js'
import type { Entry, Log } from './log.js'
import type { Json, JsonObject } from './recording.js'
import { TICK_MS } from './virtual-time.js'

// What the recorded server computed took it up to 0.6 s; the emulator's clock stands still meanwhile.
const FASTER_MS = 600
// Whole seconds are cut off, and not at the same moment.
const ROUNDING_MS = 1000

/** Every difference by its place. */
export function differences (recorded: Log, played: Log): string[] {
  const normal = { recorded: normalizer(recorded.origins), played: normalizer(played.origins) }
  const users = new Set([...Object.keys(recorded.events), ...Object.keys(played.events)])
  return [
    ...inOrder('exchange', recorded.exchanges, played.exchanges, normal),
    ...[...users].flatMap(user => inOrder(`event of ${user}`, recorded.events[user] ?? [], played.events[user] ?? [], normal)),
    ...inOrder('lookup', recorded.forgotten, played.forgotten, normal)
  ]
}

interface Both {
  readonly recorded: Normalize
  readonly played: Normalize
}

function inOrder (kind: string, recorded: readonly Entry[], played: readonly Entry[], normal: Both): string[] {
  const count = Math.max(recorded.length, played.length)
  return Array.from({ length: count }, (_, index) => {
    const one = recorded[index]
    const other = played[index]
    const place = `${kind} ${index + 1}, ${(one ?? other)!.name}`
    if (one === undefined) return [`${place}: was not recorded`]
    if (other === undefined) return [`${place}: is missing`]
    const early = one.at - other.at
    const when = early < -TICK_MS || early >= FASTER_MS ? [`${place}: at ${other.at} ms instead of ${one.at}`] : []
    return [...when, ...between(prepared(one.value), prepared(other.value), { place, name: '', parents: [null, null] }, normal)]
  }).flat()
}

function prepared (value: Json): Json {
  return isObject(value) && 'status' in value && 'headers' in value ? aboutBody(value) : value
}

interface Place {
  readonly place: string
  readonly name: string
  readonly parents: readonly [Json, Json]
}

function between (one: Json, other: Json, at: Place, normal: Both): string[] {
  const inside = (name: string): Place => ({ place: `${at.place} › ${name}`, name, parents: [one, other] })
  if (Array.isArray(one) && Array.isArray(other)) {
    const length = one.length === other.length ? [] : [`${at.place}: ${other.length} instead of ${one.length}`]
    return [...length, ...one.slice(0, other.length).flatMap((item, index) => between(item, other[index]!, inside(String(index)), normal))]
  }
  if (isObject(one) && isObject(other)) {
    const names = Object.keys(one)
    const order = JSON.stringify(names) === JSON.stringify(Object.keys(other))
      ? []
      : [`${at.place}: fields ${Object.keys(other).join()} instead of ${names.join()}`]
    return [
      ...order,
      ...names.filter(name => name in other).flatMap(name => between(one[name]!, other[name]!, inside(name), normal))
    ]
  }
  const expected = normal.recorded(one, at.name, at.parents[0])
  const actual = normal.played(other, at.name, at.parents[1])
  const isSame = expected.text === actual.text && expected.times.every((time, index) => Math.abs(time - actual.times[index]!) <= ROUNDING_MS)
  return isSame ? [] : [`${at.place}: ${JSON.stringify(other)} instead of ${JSON.stringify(one)}`]
}

function isObject (value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
