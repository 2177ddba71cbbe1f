import { Type, type TSchema } from 'typebox'
import { Check } from 'typebox/value'
import type { CallbackEvent } from '../../types/events.js'
import { InvalidCallbackError } from '../errors.js'
import { CallbackPayload } from '../schemas.js'

/**
 * Fields listeners may rely on. One that says something else, or null as the document server does, or more than it ever does,
 * counts as absent.
 */
const optionalFields: Readonly<Record<string, TSchema>> = {
  key: Type.String({ minLength: 1, maxLength: 255 }),
  url: Type.String({ pattern: /\S/ }),
  filetype: Type.String({ pattern: /^[0-9A-Za-z]{1,16}$/ }),
  users: Type.Array(Type.String()),
  userdata: Type.String({ maxLength: 64 * 1024 }),
  actions: Type.Array(Type.Object({ type: Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(2)]), userid: Type.String() })),
  changesurl: Type.String(),
  formsdataurl: Type.String(),
  history: Type.Object({
    serverVersion: Type.Optional(Type.String()),
    changes: Type.Optional(Type.Array(Type.Object({
      documentSha256: Type.Optional(Type.String()),
      created: Type.Optional(Type.String()),
      user: Type.Optional(Type.Object({ id: Type.Optional(Type.String()), name: Type.Optional(Type.String()) }))
    })))
  }),
  mailMerge: Type.Object({}),
  lastsave: Type.String({ maxLength: 64 }),
  forcesavetype: Type.Integer(),
  notmodified: Type.Boolean()
}

/** The callback's fields, without its token and what the token adds. Throws `InvalidCallbackError` when it can't be acted on. */
export function toEvent (fileId: string, claims: unknown): CallbackEvent {
  if (!Check(CallbackPayload, claims)) throw new InvalidCallbackError('it must be an object with an integer status and, for a save, the text url')
  const { token, iat, exp, ...fields } = claims as CallbackPayload & Record<string, unknown>
  Reflect.deleteProperty(fields, '__proto__') // an own field, by JSON.parse: whoever copies the event would set a prototype
  for (const [name, schema] of Object.entries(optionalFields)) {
    if (!Check(schema, fields[name])) delete fields[name]
  }
  if (typeof fields.filetype === 'string') fields.filetype = fields.filetype.toLowerCase()
  return Object.freeze({ ...fields, fileId } as CallbackEvent) // it is acted on after the host's listener had it
}
