import { type Static, Type } from 'typebox'
import { EXTENSION } from '../document-server/formats.js'

const Action = Type.Enum(['callback', 'download', 'proxy', 'report'], {
  type: 'string',
  description: 'With GET: `download` or `proxy`. With POST: `callback` or `report`.'
})
export type Action = Static<typeof Action>

const described = (description: string) => Type.Optional(Type.String({ description }))

/**
 * The handler's query. A parameter that is repeated, or parsed to an object by the application's parser, is invalid.
 */
export const HandlerQuery = Type.Object({
  action: Action,
  fileId: described('The document.'),
  expires: described('`download`: seconds since the epoch, after which the URL is not valid any more.'),
  key: described('`callback`: the only document key that the URL is for.'),
  signature: described('`callback`, `download`: signature of the URL, which the control of a document makes.'),
  url: described('`proxy`: the http(s) URL to fetch.'),
  code: described('`report`: `slow`, `no-frame`, `csp`, or the error code of the editor.'),
  version: described('`download`: an earlier version, by its number.'),
  part: described('`download`, with `version`: `content`, or `changes` for the data of the changes that led to it.')
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
  url: Type.String({ pattern: '\\S' }),
  filetype: Type.String({ pattern: EXTENSION.source }),
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

/** For API documentation: as JSON, which is not compiled. */
export const schemas: Readonly<Record<'query' | 'callback', object>> = JSON.parse(JSON.stringify({
  query: HandlerQuery,
  callback: Type.Object({
    ...Type.Partial(Type.Object(optionalFields)).properties,
    ...CallbackPayload.properties,
    token: Type.Optional(Type.String({ description: 'A JSON Web Token with all other fields, signed with `jwtSecret`.' }))
  }, { description: '`callback`: the event, as the document server sends it. `report`: there must be no body.' })
}))
