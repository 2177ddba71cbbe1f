import { type Static, type TSchema, Type } from 'typebox'
import type { PageActionName } from '../../types/actions.js'
import { EXTENSION } from '../document-server/formats.js'
import { isHttpUrl, isImageUrl, isPageUrl } from '../util/url.js'

// The bodies that pages send, and the results of the hooks of the option `actions`. Other fields are ignored.

export const MAX_USERS = 1000
const MAX_TEMPLATE_ID = 1000

/** Text that a user types to find something. */
const Search = Type.String({ maxLength: 200 })

/**
 * A place in a document, as the editor names it.
 * Source: emulator/docs/document-server-protocol.md#events-and-what-answers-them
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
  fileType: Type.String({ pattern: EXTENSION.source })
})
export type NamedResult = Static<typeof NamedResult>

const Version = Type.Integer({ minimum: 1 })

/** Nothing that could begin another header or address of a mail. */
const Email = Type.String({ maxLength: 320, pattern: String.raw`^[^\s,;<>"()\p{Cc}]+@[^\s,;<>"()@\p{Cc}]+$` })

/** The body of an action that needs only the page's token. */
const Empty = Type.Object({})

const NewDocument = Type.Object({
  fileType: Type.Optional(Type.String({ pattern: EXTENSION.source })),
  lang: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$' }))
})

/** The body of each action's request. */
export const bodies = {
  config: Type.Object({
    /**
     * `refresh`: for the open editor. `reopen`: for a new editor in its place. `edit`: for a new editor that may edit.
     * `retry`: for a new editor after the document server could not convert the document.
     */
    purpose: Type.Union([Type.Literal('refresh'), Type.Literal('reopen'), Type.Literal('edit'), Type.Literal('retry')]),
    actionLink: Type.Optional(ActionLink),
    /** With `refresh` and `retry`: the document key that must not be used again. */
    key: Type.Optional(Type.String({ maxLength: 255 }))
  }),
  renew: Empty,
  rename: Type.Object({ name: Type.String({ maxLength: 1000 }) }),
  saveAs: Type.Object({ ...NamedResult.properties, title: Type.String({ maxLength: 4000 }) }),
  images: Type.Object({
    c: Type.Enum(['add', 'change', 'fill', 'watermark', 'slide']),
    search: Type.Optional(Search)
  }),
  documents: Type.Object({
    c: Type.Enum(['compare', 'combine', 'insert-text']),
    search: Type.Optional(Search)
  }),
  spreadsheets: Type.Object({
    ...Linked.properties,
    c: Type.Enum(['mailmerge', 'reference']),
    search: Type.Optional(Search)
  }),
  reference: Type.Object({ ...Linked.properties, link: Type.Optional(CellText) }),
  users: Type.Object({
    c: Type.Enum(['mention', 'protect', 'info', 'filler']),
    /** As the editor calls it. */
    id: Type.Optional(Type.Array(Type.String({ maxLength: 1000 }), { maxItems: MAX_USERS })),
    search: Type.Optional(Search),
    from: Type.Optional(Type.Integer({ minimum: 0 })),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_USERS }))
  }),
  notify: Type.Object({
    emails: Type.Array(Email, { minItems: 1, maxItems: 100 }),
    message: Type.String({ maxLength: 10_000 }),
    actionLink: Type.Optional(ActionLink),
    /** URL of the page. */
    link: Type.Optional(Type.String({ maxLength: 4000 }))
  }),
  sharing: Empty,
  favorite: Type.Object({ favorite: Type.Boolean() }),
  saveState: Type.Object({
    /** The document key of the editor in the page. */
    key: Type.String({ maxLength: 255 })
  }),
  create: Type.Object({
    ...NewDocument.properties,
    /** As the page got it. */
    template: Type.Optional(Type.Object({
      id: Type.String({ maxLength: MAX_TEMPLATE_ID }),
      token: Type.String({ maxLength: 100 })
    }))
  }),
  templates: Type.Object({ ...NewDocument.properties, search: Type.Optional(Search) }),
  history: Empty,
  historyData: Type.Object({ version: Version }),
  restore: Type.Object({ version: Version, ...Type.Partial(NamedResult).properties })
} satisfies Readonly<Record<PageActionName, TSchema>>
export type Bodies = { readonly [Name in keyof typeof bodies]: Static<(typeof bodies)[Name]> }

/** For API documentation: as JSON, which is not compiled. */
export const bodySchemas: Readonly<Record<PageActionName, object>> = JSON.parse(JSON.stringify(bodies))

const HttpUrl = Type.Refine(Type.String(), isHttpUrl)
const PageUrl = Type.Refine(Type.String(), isPageUrl)
const Title = Type.String({ minLength: 1 })
const Thumbnail = Type.Optional(HttpUrl)
const SharingSettings = Type.Array(
  Type.Object({ user: Type.String(), permissions: Type.String(), isLink: Type.Optional(Type.Boolean()) })
)

const Choices = Type.Array(Type.Union([
  Type.Object({ title: Title, thumbnail: Thumbnail, fileId: Type.String() }),
  Type.Object({ title: Title, thumbnail: Thumbnail, fileType: Type.String({ pattern: EXTENSION }), url: HttpUrl })
]))

/** The result of each hook. */
export const results = {
  page: PageUrl,
  editRights: Type.Union([Type.Boolean(), Type.Object({})]),
  title: Type.Union([Type.Undefined(), Type.String({ minLength: 1, maxLength: 1000 })]),
  saveAs: Type.Union([
    Type.Undefined(),
    Type.Null(),
    Type.Object({
      fileId: Type.Optional(Type.String()),
      url: Type.Optional(PageUrl),
      title: Type.Optional(Type.String())
    })
  ]),
  images: Choices,
  documents: Choices,
  spreadsheets: Choices,
  reference: Type.Union([Type.Null(), Type.Object({ fileId: Type.String(), title: Title })]),
  users: Type.Array(Type.Object({
    id: Type.String(),
    name: Type.String(),
    email: Type.Optional(Type.String()),
    image: Type.Optional(Type.Refine(Type.String(), isImageUrl))
  })),
  sharing: Type.Union([
    SharingSettings,
    Type.Object({ settings: SharingSettings, url: Type.Optional(PageUrl) }),
    Type.Object({ settings: Type.Optional(SharingSettings), url: PageUrl })
  ]),
  create: Type.Object({ url: PageUrl }),
  templates: Type.Array(Type.Object({
    title: Title,
    thumbnail: Thumbnail,
    id: Type.String({ minLength: 1, maxLength: MAX_TEMPLATE_ID }),
    fileType: Type.Optional(Type.String({ pattern: EXTENSION }))
  }))
}
