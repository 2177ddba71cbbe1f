import { Type, type TSchema } from 'typebox'
import { Check } from 'typebox/value'
import type { FaultOptions, Faults } from './types.js'

const Milliseconds = Type.Number({ minimum: 0, maximum: 2 ** 31 - 1 })
const Bytes = Type.Integer({ minimum: 0 })
const Origin = Type.Refine(Type.String(), value => URL.canParse(value) && new URL(value).origin === value)
const Body = Type.Refine(Type.Unknown(), value => typeof value === 'string' || value instanceof Uint8Array)
const Status = Type.Integer({ minimum: 200, maximum: 599 })
const exactly = (type: string, fields: Record<string, TSchema> = {}) => Type.Object({ type: Type.Literal(type), ...fields }, { additionalProperties: false })

const origin = exactly('origin', { origin: Origin })
const answer = Type.Union([
  exactly('stall', { afterBytes: Type.Optional(Bytes) }),
  exactly('drip', { bytes: Type.Optional(Type.Integer({ minimum: 1 })), everyMs: Type.Optional(Milliseconds) }),
  exactly('reset', { afterBytes: Type.Optional(Bytes) }),
  exactly('length', { by: Type.Union([Type.Integer({ maximum: -1 }), Type.Integer({ minimum: 1 })]) }),
  exactly('answer', { status: Status, body: Type.Optional(Body), headers: Type.Optional(Type.Record(Type.String(), Type.String())) }),
  exactly('html', { status: Type.Optional(Status) }),
  exactly('delay', { ms: Milliseconds })
])

const schemas: Record<keyof Faults, TSchema> = {
  file: answer,
  converter: Type.Union([answer, origin]),
  command: answer,
  healthcheck: answer,
  api: answer,
  callback: Type.Union([origin, exactly('duplicate'), exactly('reorder')]),
  assembly: exactly('fail', { corrupted: Type.Optional(Type.Boolean()) }),
  conversion: Type.Union([exactly('slow', { ms: Milliseconds }), exactly('error', { error: Type.Integer({ minimum: -10, maximum: -1 }) })])
}

/** A fault that could never strike, or not as asked, would make a test prove nothing. Throws a `TypeError`. */
export function checkFault (route: keyof Faults, fault: unknown, { times = 1, after = 0, ...unknown }: FaultOptions): void {
  if (!Object.hasOwn(schemas, route)) throw new TypeError(`There is no route ${String(route)}: it is one of ${Object.keys(schemas).join(', ')}`)
  if (!Check(schemas[route], fault)) throw new TypeError(`There is no such fault of the route ${route}: ${JSON.stringify(fault)}`)
  if (times !== Infinity && !(Number.isInteger(times) && times >= 1)) throw new TypeError('times must be a whole number, 1 or more, or Infinity')
  if (!(Number.isInteger(after) && after >= 0)) throw new TypeError('after must be a whole number, 0 or more')
  if (Object.keys(unknown).length > 0) throw new TypeError(`There is no such option of a fault: ${Object.keys(unknown).join(', ')}`)
}
