import { type Static, Type } from 'typebox'

// How a storage notes which versions of a document it keeps: the newest in the log itself, the older ones in segments.
// Fields that a newer version of this library has added are kept.

const Count = Type.Integer({ minimum: 0 })

/** A file or an object that is never changed once a log names it. */
const BlobSchema = Type.Object({
  name: Type.String({ pattern: '^[0-9A-Za-z-]{1,64}$' }),
  size: Count,
  /** Modification time of a file: a content that another program has changed in place is recognized by it. */
  mtimeNs: Type.Optional(Type.String({ pattern: '^-?[0-9]{1,30}$' }))
})

const EntrySchema = Type.Object({
  version: Count,
  revision: Type.String(),
  extension: Type.String(),
  /** ISO 8601. */
  modifiedAt: Type.String(),
  keptAt: Type.String(),
  content: BlobSchema,
  changes: Type.Union([BlobSchema, Type.Null()]),
  /** JSON text; a long one is in a blob of its own. */
  details: Type.Union([Type.String(), BlobSchema]),
  session: Type.Optional(Type.String()),
  priority: Type.Optional(Count),
  /** Two other versions of its session follow: it is removed before all others. */
  isWithinSession: Type.Optional(Type.Boolean())
})

const SegmentSchema = Type.Object({
  /** Contains the entries. */
  blob: BlobSchema,
  /** The lowest and the highest number. */
  first: Count,
  last: Count,
  count: Count,
  /** Of all contents and changes. */
  bytes: Count,
  /** How many there are of each rank: 0 within sessions, then by priority. */
  ranks: Type.Array(Count),
  /** When the oldest was kept. */
  keptAt: Type.String()
})

export const VersionLog = Type.Object({
  /** The highest number ever given. */
  last: Count,
  /** Oldest first, as the entries. */
  segments: Type.Array(SegmentSchema),
  /** The newest versions. */
  entries: Type.Array(EntrySchema)
})

/** How files note it. */
export const VersionIndex = Type.Object({
  log: VersionLog,
  /**
   * Blobs that this change has superseded, each with the version that it was stored for: it removes them, or else the
   * next change does.
   */
  superseded: Type.Array(Type.Object({ name: BlobSchema.properties.name, version: Count }))
})

export const SegmentContent = Type.Object({ format: Type.Literal(2), entries: Type.Array(EntrySchema) })

export type SegmentContent = Static<typeof SegmentContent>
export type VersionIndex = Static<typeof VersionIndex>
export type VersionLog = Static<typeof VersionLog>
export type Segment = Static<typeof SegmentSchema>
export type VersionEntry = Static<typeof EntrySchema>
export type Blob = Static<typeof BlobSchema>
