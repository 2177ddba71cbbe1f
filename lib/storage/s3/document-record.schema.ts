import { type Static, Type } from 'typebox'
import { VersionLog } from '../version-log.schema.js'

// What is stored of a document beside its contents, and how that changes. Fields that a newer version of this library
// has added are kept.

/** Of an object with content. */
const Name = Type.String({ pattern: '^[0-9A-Za-z-]{1,64}$' })

const ContentSchema = Type.Object({
  name: Name,
  extension: Type.String(),
  size: Type.Integer({ minimum: 0 }),
  /** ISO 8601. */
  modifiedAt: Type.String(),
  revision: Type.String()
})

export const DocumentRecord = Type.Object({
  format: Type.Literal(2),
  content: Type.Union([ContentSchema, Type.Null()]),
  state: Type.Union([Type.Object({ value: Type.Unknown(), version: Type.String() }), Type.Null()]),
  versions: VersionLog,
  /**
   * Objects that are not needed any more. `since`: milliseconds since 1970; the write after the one that added them
   * sets it.
   */
  garbage: Type.Array(Type.Object({ name: Name, since: Type.Optional(Type.Number()) })),
  /** Of the latest writes. A writer that did not get an answer looks for its own. */
  tags: Type.Array(Type.String())
})

export type DocumentRecord = Static<typeof DocumentRecord>
export type StoredContent = Static<typeof ContentSchema>
