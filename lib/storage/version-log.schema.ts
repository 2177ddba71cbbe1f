import { type Static, Type } from 'typebox'

// The format in which a storage lists the versions of a document: the newest in the log itself, older ones in segments.
// A list with anything else in it is refused, because its other fields may name files. Whatever changes here needs
// another `format`, of an object store's record, too.

const Count = Type.Integer({ minimum: 0 })
const exact = { additionalProperties: false } as const

/** A file or object that never changes once a log names it. */
const BlobSchema = Type.Object({
  name: Type.String({ pattern: '^[0-9A-Za-z-]{1,64}$' }),
  size: Count,
  /** Modification time of a file, which reveals that another program has changed the content in place. */
  mtimeNs: Type.Optional(Type.String({ pattern: '^-?[0-9]{1,30}$' }))
}, exact)

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
  /** Two other versions of the same session follow, so this one is removed before all others. */
  isWithinSession: Type.Optional(Type.Boolean()),
  /** A version with a label is never removed because of a limit. */
  label: Type.Optional(Type.Object({ name: Type.String(), comment: Type.Optional(Type.String()) }, exact))
}, exact)

const SegmentSchema = Type.Object({
  /** The blob with the entries. */
  blob: BlobSchema,
  /** The lowest and the highest version number. */
  first: Count,
  last: Count,
  count: Count,
  /** Total size of contents and changes. */
  bytes: Count,
  /** Number of entries of each rank: first those within sessions, then by priority. Without those with a label. */
  ranks: Type.Array(Count),
  /** When the oldest version without a label was kept. */
  keptAt: Type.String()
}, exact)

export const VersionLog = Type.Object({
  /** The highest version number ever assigned. */
  last: Count,
  /** Oldest first, like `entries`. */
  segments: Type.Array(SegmentSchema),
  /** The newest versions. */
  entries: Type.Array(EntrySchema)
}, exact)

/** The content of the index in the file storage. */
export const VersionIndex = Type.Object({
  format: Type.Literal(1),
  log: VersionLog,
  /**
   * Blobs that this change has superseded, each with its version. This change removes them, or else the next one does.
   */
  superseded: Type.Array(Type.Object({ name: BlobSchema.properties.name, version: Count }, exact))
}, exact)

export const SegmentContent = Type.Object({ format: Type.Literal(2), entries: Type.Array(EntrySchema) }, exact)

export type SegmentContent = Static<typeof SegmentContent>
export type VersionIndex = Static<typeof VersionIndex>
export type VersionLog = Static<typeof VersionLog>
export type Segment = Static<typeof SegmentSchema>
export type VersionEntry = Static<typeof EntrySchema>
export type Blob = Static<typeof BlobSchema>
