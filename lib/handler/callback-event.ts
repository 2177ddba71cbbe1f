import type { CallbackEvent } from '../../types/events.js'
import { InvalidCallbackError } from '../errors.js'
import { isCallbackPayload, optionalFields } from './callback-event.compiled.js'
import type { CallbackPayload } from './callback-event.schema.js'

const validators = Object.entries(optionalFields)

/** The event of a callback: its fields without the token and the token's own claims. Throws `InvalidCallbackError`. */
export function toEvent (fileId: string, claims: unknown): CallbackEvent {
  if (!isCallbackPayload(claims)) throw new InvalidCallbackError('it must be an object with an integer status and, for a save, a string url')
  const { token, iat, exp, nbf, operation, ...fields } = claims as CallbackPayload & Record<string, unknown>
  // JSON.parse makes it an own property: copying the event would set a prototype.
  if (Object.hasOwn(fields, '__proto__')) Reflect.deleteProperty(fields, '__proto__')
  for (const [name, isValid] of validators) {
    if (name in fields && !isValid(fields[name])) delete fields[name]
  }
  if (typeof fields.filetype === 'string') fields.filetype = fields.filetype.toLowerCase()
  return Object.freeze(Object.assign(fields, { fileId }) as CallbackEvent) // a hook must not change it
}
