import type { FaultOptions, Faults } from '../../../types/faults.js'

const ANSWERS = ['stall', 'drip', 'reset', 'length', 'answer', 'html', 'delay']

const TYPES: Readonly<Record<keyof Faults, readonly string[]>> = {
  file: ANSWERS,
  converter: [...ANSWERS, 'origin'],
  command: [...ANSWERS, 'origin'],
  builder: [...ANSWERS, 'origin'],
  formats: ANSWERS,
  healthcheck: ANSWERS,
  api: ANSWERS,
  callback: ['origin', 'duplicate', 'reorder'],
  assembly: ['fail', 'slow'],
  opening: ['error'],
  conversion: ['slow', 'error'],
  building: ['slow', 'error']
}

/** Rejects faults that could never apply: with them a test would prove nothing. Throws a `TypeError`. */
export function validateFault (
  route: keyof Faults,
  fault: unknown,
  { times = 1, after = 0, ...unknown }: FaultOptions
): void {
  if (!Object.hasOwn(TYPES, route)) {
    throw new TypeError(`There is no route ${String(route)}. The routes are ${Object.keys(TYPES).join(', ')}`)
  }
  const { type, ...fields } = Object(fault) as Record<string, unknown>
  const isNumber = (name: string) => fields[name] === undefined || Number.isFinite(fields[name])
  const areNumbers = ['ms', 'everyMs', 'bytes', 'afterBytes', 'by', 'status', 'error'].every(isNumber)
  if (!TYPES[route].includes(String(type)) || !areNumbers) {
    throw new TypeError(`Not a valid fault for the route ${route}: ${JSON.stringify(fault)}`)
  }
  if (times !== Infinity && !(Number.isInteger(times) && times >= 1)) {
    throw new TypeError('times must be a whole number, 1 or more, or Infinity')
  }
  if (!(Number.isInteger(after) && after >= 0)) throw new TypeError('after must be a whole number, 0 or more')
  if (Object.keys(unknown).length > 0) throw new TypeError(`Unknown fault options: ${Object.keys(unknown).join(', ')}`)
}
