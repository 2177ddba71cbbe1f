import { type Static, Type } from 'typebox'

// The record of a document. A record with unknown fields is refused, because they may name blobs. Any change here needs
// another `format`.

const Count = Type.Integer({ minimum: 0 })
const exact = { additionalProperties: false } as const

const BlobSchema = Type.Object({
  name: Type.String({ pattern: '^[0-9A-Za-z-]{1,64}$' }),
  size: Count
}, exact)

const ContentSchema = Type.Object({
  ...BlobSchema.properties,
  fileType: Type.String(),
  /** ISO 8601. */
  modifiedAt: Type.String(),
  revision: Type.String()
}, exact)

const VersionSchema = Type.Object({
  version: Count,
  revision: Type.String(),
  fileType: Type.String(),
  /** ISO 8601. */
  modifiedAt: Type.String(),
  keptAt: Type.String(),
  content: BlobSchema,
  changes: Type.Union([BlobSchema, Type.Null()]),
  /** JSON text; a long one is in a blob. */
  details: Type.Union([Type.String(), BlobSchema]),
  session: Type.Optional(Type.String()),
  priority: Type.Optional(Count),
  /** A version with a label is never removed because of a limit. */
  label: Type.Optional(Type.Object({ name: Type.String(), comment: Type.Optional(Type.String()) }, exact))
}, exact)

export const DocumentRecord = Type.Object({
  format: Type.Literal(1),
  content: Type.Union([ContentSchema, Type.Null()]),
  state: Type.Union([Type.Object({ value: Type.Unknown(), version: Type.String() }, exact), Type.Null()]),
  /** Earlier contents, oldest first. */
  versions: Type.Array(VersionSchema),
  /** The highest number that a version ever had. */
  lastVersion: Count,
  /**
   * Blobs that are no longer needed. `since`: milliseconds since 1970, set by the write after the one that added the
   * blob.
   */
  garbage: Type.Array(Type.Object({ name: BlobSchema.properties.name, since: Type.Optional(Type.Number()) }, exact)),
  /** Tags of the latest writes. A writer that got no answer looks for its own tag. */
  tags: Type.Array(Type.String())
}, exact)

/** A generation of the record, as it is on disk. */
export const Envelope = Type.Object({
  format: Type.Literal(1),
  fileId: Type.String(),
  /** `null`: the document was removed. */
  record: Type.Union([DocumentRecord, Type.Null()]),
  /** Name of the content that the document had before; `null` if it had none. */
  replaces: Type.Union([Type.String(), Type.Null()])
}, exact)

export type DocumentRecord = Readonly<Static<typeof DocumentRecord>>
export type StoredContent = Readonly<Static<typeof ContentSchema>>
export type VersionEntry = Readonly<Static<typeof VersionSchema>>
export type Envelope = Readonly<Static<typeof Envelope>>
