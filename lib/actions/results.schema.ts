import { type Static, Type } from 'typebox'
import { EXTENSION } from '../document-server/formats.js'
import { isHttpUrl, isImageUrl, isPageUrl } from '../util/url.js'

// What hooks of the option `actions` return. Other fields are ignored.

const HttpUrl = Type.Refine(Type.String(), isHttpUrl)
const Named = Type.Object({ name: Type.String({ minLength: 1 }), thumbnail: Type.Optional(HttpUrl) })

export const PageUrl = Type.Refine(Type.String(), isPageUrl)
export type PageUrl = Static<typeof PageUrl>

export const EditRights = Type.Union([Type.Boolean(), Type.Object({})])
export type EditRights = Static<typeof EditRights>

export const DocumentName = Type.Union([Type.Undefined(), Type.String({ minLength: 1, maxLength: 1000 })])
export type DocumentName = Static<typeof DocumentName>

export const SavedCopy = Type.Union([
  Type.Undefined(),
  Type.Null(),
  Type.Object({ fileId: Type.Optional(Type.String()), url: Type.Optional(PageUrl), name: Type.Optional(Type.String()) })
])
export type SavedCopy = Static<typeof SavedCopy>

export const Choices = Type.Array(Type.Union([
  Type.Object({ ...Named.properties, fileId: Type.String() }),
  Type.Object({ ...Named.properties, fileType: Type.String({ pattern: EXTENSION }), url: HttpUrl })
]))
export type Choices = Static<typeof Choices>

export const ReferencedFile = Type.Union([
  Type.Null(),
  Type.Object({ fileId: Type.String(), name: Type.String({ minLength: 1 }) })
])
export type ReferencedFile = Static<typeof ReferencedFile>

export const Users = Type.Array(Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: Type.Optional(Type.String()),
  image: Type.Optional(Type.Refine(Type.String(), isImageUrl))
}))
export type Users = Static<typeof Users>

export const SharingSettings = Type.Array(
  Type.Object({ user: Type.String(), permissions: Type.String(), isLink: Type.Optional(Type.Boolean()) })
)
export type SharingSettings = Static<typeof SharingSettings>

export const Sharing = Type.Union([
  SharingSettings,
  Type.Object({ settings: SharingSettings, url: Type.Optional(PageUrl) }),
  Type.Object({ settings: Type.Optional(SharingSettings), url: PageUrl })
])
export type Sharing = Static<typeof Sharing>

export const CreatedPage = Type.Object({ url: PageUrl })
export type CreatedPage = Static<typeof CreatedPage>

export const MAX_TEMPLATE_ID = 1000
export const Templates = Type.Array(
  Type.Object({
    ...Named.properties,
    id: Type.String({ minLength: 1, maxLength: MAX_TEMPLATE_ID }),
    fileType: Type.Optional(Type.String({ pattern: EXTENSION }))
  })
)
export type Templates = Static<typeof Templates>
