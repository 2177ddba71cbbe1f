import { type Static, Type } from 'typebox'

// What is stored of a document beside its contents, and how that changes. Fields that a newer version of this library has added are
// kept.

/** Of an object with content. */
const Name = Type.String({ pattern: '^[0-9A-Za-z-]{1,64}$' })
const Size = Type.Integer({ minimum: 0 })
const Number = Type.Integer({ minimum: 0 })

const BlobSchema = Type.Object({ name: Name, size: Size })

const ContentSchema = Type.Object({
  name: Name,
  extension: Type.String(),
  size: Size,
  /** ISO 8601. */
  modifiedAt: Type.String(),
  revision: Type.String()
})

const EntrySchema = Type.Object({
  version: Number,
  revision: Type.String(),
  extension: Type.String(),
  /** ISO 8601. */
  modifiedAt: Type.String(),
  keptAt: Type.String(),
  content: BlobSchema,
  changes: Type.Union([BlobSchema, Type.Null()]),
  details: Type.Unknown()
})

export const DocumentRecord = Type.Object({
  format: Type.Literal(1),
  content: Type.Union([ContentSchema, Type.Null()]),
  state: Type.Union([Type.Object({ value: Type.Unknown(), version: Type.String() }), Type.Null()]),
  versions: Type.Object({
    /** The highest number ever given. */
    last: Number,
    /** The newest, oldest first. */
    entries: Type.Array(EntrySchema),
    /** An object with those before them, and the numbers of those that have been removed since it was written. */
    older: Type.Union([Type.Object({ name: Name, removed: Type.Array(Number) }), Type.Null()])
  }),
  /** Objects that are not needed any more. `since`: milliseconds since 1970; the write after the one that added them sets it. */
  garbage: Type.Array(Type.Object({ name: Name, since: Type.Optional(Type.Number()) })),
  /** Of the latest writes. A writer that did not get an answer looks for its own. */
  tags: Type.Array(Type.String())
})

export const VersionList = Type.Object({ format: Type.Literal(1), entries: Type.Array(EntrySchema) })

export type DocumentRecord = Static<typeof DocumentRecord>
export type VersionList = Static<typeof VersionList>
export type StoredContent = Static<typeof ContentSchema>
export type Blob = Static<typeof BlobSchema>
export type VersionEntry = Static<typeof EntrySchema>
