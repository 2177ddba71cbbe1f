import { type Static, Type } from 'typebox'

// What the storage keeps beside the content of a version.

const OptionalString = Type.Optional(Type.String())

const MadeSchema = Type.Object({
  /** ISO 8601. */
  savedAt: Type.String(),
  /** Document key of the session that saved it. */
  key: OptionalString,
  user: Type.Optional(Type.Object({ id: Type.String(), name: Type.String() })),
  /** As the document server reported them: all changes since the session began, not only those since its last save. */
  changes: Type.Optional(Type.Array(Type.Object({}))),
  serverVersion: OptionalString,
  /** The version that was restored. */
  restored: Type.Optional(Type.Integer())
})

export const Details = Type.Object({
  /** See retention.ts; absent of a content that the plugin did not store. */
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 4 })),
  /** How this content came about; absent if the plugin did not store it. */
  made: Type.Optional(MadeSchema),
  /**
   * How the content that superseded it came about. Noted here because this version is kept, in one write, before that
   * content is published: a crash at any moment leaves both or none.
   */
  next: Type.Optional(Type.Intersect([MadeSchema, Type.Object({
    /** Of that content; absent if the storage did not know it in advance. */
    revision: OptionalString
  })]))
})

/** How a content came about. */
export type Made = Readonly<Static<typeof MadeSchema>>
export type Details = Readonly<Static<typeof Details>>
