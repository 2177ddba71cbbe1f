import { toUrl } from '../../url.js'
import type { FaultOptions, Faults } from '../../../types/faults.js'

type Check = (value: unknown) => boolean
/** The fields of a fault. Those with a question mark are optional. */
type Fields = Readonly<Record<string, Check>>

const within = (minimum: number, maximum: number): Check => value =>
  typeof value === 'number' && value >= minimum && value <= maximum
const wholeWithin = (minimum: number, maximum: number): Check => value =>
  Number.isInteger(value) && within(minimum, maximum)(value)
const milliseconds = within(0, 2 ** 31 - 1)
const byteCount = wholeWithin(0, Number.MAX_SAFE_INTEGER)
const status = wholeWithin(200, 599)
const origin: Check = value => typeof value === 'string' && toUrl(value)?.origin === value
const content: Check = value => typeof value === 'string' || value instanceof Uint8Array
const headers: Check = value =>
  typeof value === 'object' && value !== null && Object.values(value).every(text => typeof text === 'string')

const answer: Readonly<Record<string, Fields>> = {
  stall: { 'afterBytes?': byteCount },
  drip: { 'bytes?': wholeWithin(1, Number.MAX_SAFE_INTEGER), 'everyMs?': milliseconds },
  reset: { 'afterBytes?': byteCount },
  length: { by: value => Number.isInteger(value) && value !== 0 },
  answer: { status, 'body?': content, 'headers?': headers },
  html: { 'status?': status },
  delay: { ms: milliseconds }
}

const routes: Readonly<Record<keyof Faults, Readonly<Record<string, Fields>>>> = {
  file: answer,
  converter: { ...answer, origin: { origin } },
  command: { ...answer, origin: { origin } },
  builder: { ...answer, origin: { origin } },
  formats: answer,
  healthcheck: answer,
  api: answer,
  callback: { origin: { origin }, duplicate: {}, reorder: {} },
  assembly: { fail: { 'corrupted?': value => typeof value === 'boolean' }, slow: { ms: milliseconds } },
  opening: { error: { error: code => code === -80 || code === -82 } },
  conversion: { slow: { ms: milliseconds }, error: { error: wholeWithin(-10, -1) } },
  building: { slow: { ms: milliseconds }, error: { error: wholeWithin(-10, -1) } }
}

/**
 * Rejects faults that could never apply, or not as intended: with them a test would prove nothing. Throws a
 * `TypeError`.
 */
export function validateFault (
  route: keyof Faults,
  fault: unknown,
  { times = 1, after = 0, ...unknown }: FaultOptions
): void {
  if (!Object.hasOwn(routes, route)) {
    throw new TypeError(`There is no route ${String(route)}. The routes are ${Object.keys(routes).join(', ')}`)
  }
  if (!isOneOf(routes[route], fault)) {
    throw new TypeError(`Not a valid fault for the route ${route}: ${JSON.stringify(fault)}`)
  }
  if (times !== Infinity && !(Number.isInteger(times) && times >= 1)) {
    throw new TypeError('times must be a whole number, 1 or more, or Infinity')
  }
  if (!(Number.isInteger(after) && after >= 0)) throw new TypeError('after must be a whole number, 0 or more')
  if (Object.keys(unknown).length > 0) throw new TypeError(`Unknown fault options: ${Object.keys(unknown).join(', ')}`)
}

function isOneOf (types: Readonly<Record<string, Fields>>, fault: unknown): boolean {
  if (typeof fault !== 'object' || fault === null) return false
  const { type, ...given } = fault as Record<string, unknown>
  if (typeof type !== 'string' || !Object.hasOwn(types, type)) return false
  const fields = types[type]!
  return Object.keys(given).every(name => Object.hasOwn(fields, name) || Object.hasOwn(fields, `${name}?`)) &&
    Object.entries(fields).every(([name, check]) => {
      const value = given[name.replace('?', '')]
      return (value === undefined && name.endsWith('?')) || check(value)
    })
}
