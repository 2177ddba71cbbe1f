import { type Static, Type } from 'typebox'
import { EXTENSION } from '../document-server/formats.js'

const Action = Type.Enum(['callback', 'download', 'proxy', 'report'])
export type Action = Static<typeof Action>

/**
 * The handler's query. A parameter that is repeated, or parsed to an object by the application's parser, is invalid.
 */
export const HandlerQuery = Type.Object({
  action: Action,
  fileId: Type.Optional(Type.String()),
  expires: Type.Optional(Type.String()),
  key: Type.Optional(Type.String()),
  signature: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
  part: Type.Optional(Type.String())
})
export type HandlerQuery = Static<typeof HandlerQuery>

/** The fields without which a callback cannot be handled. */
export const CallbackPayload = Type.Object({
  status: Type.Integer(),
  url: Type.Optional(Type.Union([Type.String(), Type.Null()]))
})
export type CallbackPayload = Static<typeof CallbackPayload>

/**
 * Fields that hooks may rely on. A field of another type is removed; so is `null`, which the document server sends for
 * some, and a value longer than it ever sends.
 */
export const optionalFields = {
  key: Type.String({ minLength: 1, maxLength: 255 }),
  url: Type.String({ pattern: /\S/ }),
  filetype: Type.String({ pattern: EXTENSION }),
  users: Type.Array(Type.String()),
  userdata: Type.String({ maxLength: 64 * 1024 }),
  actions: Type.Array(
    Type.Object({ type: Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(2)]), userid: Type.String() })
  ),
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
  encrypted: Type.Boolean(),
  notmodified: Type.Boolean()
}
