import { Type, type TSchema } from 'typebox'
import { Check } from 'typebox/value'
import type { CallbackEvent, SavedEvent } from '../../types/events.js'
import type { FileInfo } from '../../types/storage.js'
import { InvalidCallbackError } from '../errors.js'
import { CallbackPayload } from '../schemas.js'

/** Fields listeners may rely on. One that says something else, or null as the document server does, counts as absent. */
const optionalFields: Readonly<Record<string, TSchema>> = {
  key: Type.String({ minLength: 1 }),
  url: Type.String({ pattern: /\S/ }),
  filetype: Type.String({ pattern: /^[0-9A-Za-z]{1,16}$/ }),
  users: Type.Array(Type.String()),
  userdata: Type.String(),
  lastsave: Type.String(),
  forcesavetype: Type.Integer(),
  notmodified: Type.Boolean()
}

/** The callback's fields, without its token and what the token adds. Throws `InvalidCallbackError` when it can't be acted on. */
export function toEvent (fileId: string, claims: unknown): CallbackEvent {
  if (!Check(CallbackPayload, claims)) throw new InvalidCallbackError('it must be an object with an integer status and, for a save, the text url')
  const { token, iat, exp, ...fields } = claims as CallbackPayload & Record<string, unknown>
  for (const [name, schema] of Object.entries(optionalFields)) {
    if (!Check(schema, fields[name])) delete fields[name]
  }
  if (typeof fields.filetype === 'string') fields.filetype = fields.filetype.toLowerCase()
  return Object.freeze({ ...fields, fileId } as CallbackEvent) // it is acted on after the host's listener had it
}

export function toSavedEvent (event: CallbackEvent, status: 2 | 6, { fileId, extension, size, revision }: FileInfo): SavedEvent {
  const { key, users } = event
  return { fileId, status, extension, size, revision, ...(key ? { key } : {}), ...(users ? { users } : {}) }
}
