import { type Static, Type } from 'typebox'
import { VersionLog } from '../version-log.schema.js'

// The record of a document. A record with anything else in it is refused, because its other fields may name objects.
// Whatever changes here, or in the version log, needs another `format`.

const exact = { additionalProperties: false } as const
/** Name of an object with content. */
const Name = Type.String({ pattern: '^[0-9A-Za-z-]{1,64}$' })

const ContentSchema = Type.Object({
  name: Name,
  extension: Type.String(),
  size: Type.Integer({ minimum: 0 }),
  /** ISO 8601. */
  modifiedAt: Type.String(),
  revision: Type.String()
}, exact)

export const DocumentRecord = Type.Object({
  format: Type.Literal(2),
  content: Type.Union([ContentSchema, Type.Null()]),
  state: Type.Union([Type.Object({ value: Type.Unknown(), version: Type.String() }, exact), Type.Null()]),
  versions: VersionLog,
  /**
   * Objects that are no longer needed. `since`: milliseconds since 1970, set by the write after the one that added the
   * object.
   */
  garbage: Type.Array(Type.Object({ name: Name, since: Type.Optional(Type.Number()) }, exact)),
  /** Tags of the latest writes. A writer that got no answer looks for its own tag. */
  tags: Type.Array(Type.String())
}, exact)

export type DocumentRecord = Static<typeof DocumentRecord>
export type StoredContent = Static<typeof ContentSchema>
