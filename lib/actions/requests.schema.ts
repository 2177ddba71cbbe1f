import { type Static, Type } from 'typebox'
import { EXTENSION } from '../document-server/formats.js'

// What pages send: the bodies of the actions' requests. Other fields are ignored.

export const MAX_USERS = 1000

/** What a user types to find something. */
const Search = Type.String({ maxLength: 200 })

/**
 * A place in a document, as the editor names it. Source: docs/document-server-protocol.md#events-and-what-answers-them
 */
const ActionLink = Type.Object({
  action: Type.Object({
    type: Type.String({ maxLength: 100 }),
    data: Type.String({ maxLength: 4000 })
  })
})

/** At most what fits into a cell. */
const CellText = Type.String({ minLength: 1, maxLength: 4000 })
/** How the editor names a source of linked data. */
const Linked = Type.Object({
  path: Type.Optional(CellText),
  referenceData: Type.Optional(Type.Object({ fileKey: Type.Optional(CellText), instanceId: Type.Optional(CellText) }))
})
export type Linked = Static<typeof Linked>

/** A file that the document server has made for an editor. */
const NamedResult = Type.Object({
  url: Type.String({ maxLength: 16_000 }),
  fileType: Type.String({ pattern: EXTENSION })
})
export type NamedResult = Static<typeof NamedResult>

const Version = Type.Integer({ minimum: 1 })

/** Nothing that could begin another header or address of a mail. */
const Email = Type.String({ maxLength: 320, pattern: /^[^\s,;<>"()\p{Cc}]+@[^\s,;<>"()@\p{Cc}]+$/u })

/** Of an action that needs nothing else than the page's token. */
export const EmptyBody = Type.Object({})
export type EmptyBody = Static<typeof EmptyBody>

export const ConfigBody = Type.Object({
  /**
   * `refresh`: for the editor that is open. `reopen`: for another one in its place. `edit`: for another one that may
   * edit. `retry`: for another one after the document server could not convert the document.
   */
  purpose: Type.Union([Type.Literal('refresh'), Type.Literal('reopen'), Type.Literal('edit'), Type.Literal('retry')]),
  actionLink: Type.Optional(ActionLink),
  /** With `refresh` and `retry`: the document key that is not to be used again. */
  key: Type.Optional(Type.String({ maxLength: 255 }))
})
export type ConfigBody = Static<typeof ConfigBody>

export const RenameBody = Type.Object({ name: Type.String({ maxLength: 1000 }) })
export type RenameBody = Static<typeof RenameBody>

export const SaveAsBody = Type.Object({ ...NamedResult.properties, title: Type.String({ maxLength: 4000 }) })
export type SaveAsBody = Static<typeof SaveAsBody>

export const ImagesBody = Type.Object({
  c: Type.Enum(['add', 'change', 'fill', 'watermark', 'slide']),
  search: Type.Optional(Search)
})
export type ImagesBody = Static<typeof ImagesBody>

export const DocumentsBody = Type.Object({
  c: Type.Enum(['compare', 'combine', 'insert-text']),
  search: Type.Optional(Search)
})
export type DocumentsBody = Static<typeof DocumentsBody>

export const SpreadsheetsBody = Type.Object({
  ...Linked.properties,
  c: Type.Enum(['mailmerge', 'reference']),
  search: Type.Optional(Search)
})
export type SpreadsheetsBody = Static<typeof SpreadsheetsBody>

export const ReferenceBody = Type.Object({ ...Linked.properties, link: Type.Optional(CellText) })
export type ReferenceBody = Static<typeof ReferenceBody>

export const UsersBody = Type.Object({
  c: Type.Enum(['mention', 'protect', 'info']),
  /** As the editor calls it. */
  id: Type.Optional(Type.Array(Type.String({ maxLength: 1000 }), { maxItems: MAX_USERS })),
  search: Type.Optional(Search),
  from: Type.Optional(Type.Integer({ minimum: 0 })),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_USERS }))
})
export type UsersBody = Static<typeof UsersBody>

export const NotifyBody = Type.Object({
  emails: Type.Array(Email, { minItems: 1, maxItems: 100 }),
  message: Type.String({ maxLength: 10_000 }),
  actionLink: Type.Optional(ActionLink),
  /** URL of the page. */
  link: Type.Optional(Type.String({ maxLength: 4000 }))
})
export type NotifyBody = Static<typeof NotifyBody>

export const FavoriteBody = Type.Object({ favorite: Type.Boolean() })
export type FavoriteBody = Static<typeof FavoriteBody>

export const CreateBody = Type.Object({
  format: Type.Optional(Type.String({ pattern: EXTENSION })),
  lang: Type.Optional(Type.String({ pattern: /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/ }))
})
export type CreateBody = Static<typeof CreateBody>

export const HistoryDataBody = Type.Object({ version: Version })
export type HistoryDataBody = Static<typeof HistoryDataBody>

export const RestoreBody = Type.Object({ version: Version, ...Type.Partial(NamedResult).properties })
export type RestoreBody = Static<typeof RestoreBody>
