import { type Static, Type, type TSchema } from 'typebox'
import { Check } from 'typebox/value'
import type { CallbackEvent } from '../../types/events.js'
import { EXTENSION } from '../document-server/formats.js'
import { InvalidCallbackError } from '../errors.js'

/** Without these fields a callback cannot be handled. */
const CallbackPayload = Type.Object({
  status: Type.Integer(),
  url: Type.Optional(Type.Union([Type.String(), Type.Null()]))
})
type CallbackPayload = Static<typeof CallbackPayload>

/**
 * Fields that hooks may rely on. A field of another type is removed; so is `null`, which the document server sends for some, and
 * a value longer than it ever sends.
 */
const optionalFields: Readonly<Record<string, TSchema>> = {
  key: Type.String({ minLength: 1, maxLength: 255 }),
  url: Type.String({ pattern: /\S/ }),
  filetype: Type.String({ pattern: EXTENSION }),
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

/** The event of a callback: its fields without the token and the token's own claims. Throws `InvalidCallbackError`. */
export function toEvent (fileId: string, claims: unknown): CallbackEvent {
  if (!Check(CallbackPayload, claims)) throw new InvalidCallbackError('it must be an object with an integer status and, for a save, a string url')
  const { token, iat, exp, ...fields } = claims as CallbackPayload & Record<string, unknown>
  Reflect.deleteProperty(fields, '__proto__') // JSON.parse makes it an own property: copying the event would set a prototype
  for (const [name, schema] of Object.entries(optionalFields)) {
    if (!Check(schema, fields[name])) delete fields[name]
  }
  if (typeof fields.filetype === 'string') fields.filetype = fields.filetype.toLowerCase()
  return Object.freeze({ ...fields, fileId } as CallbackEvent) // a hook must not change it
}
