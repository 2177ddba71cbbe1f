import { type Static, Type } from 'typebox'

// What the storage keeps beside the content of a version, and what a submitted form contains.

const OptionalString = Type.Optional(Type.String())

const MadeSchema = Type.Object({
  /** ISO 8601. */
  savedAt: Type.String(),
  /** Document key of the session that saved it. */
  key: OptionalString,
  user: Type.Optional(Type.Object({ id: Type.String(), name: Type.String() })),
  /** As reported by the document server: all changes since the session began, not only since its last save. */
  changes: Type.Optional(Type.Array(Type.Object({}))),
  serverVersion: OptionalString,
  /** Number of the restored version. */
  restored: Type.Optional(Type.Integer())
})

export const Details = Type.Object({
  /** See retention.ts; absent if the plugin did not store this content. */
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 4 })),
  /** How this content came about; absent if the plugin did not store it. */
  made: Type.Optional(MadeSchema),
  /**
   * How the superseding content came about. It is noted here because this version is kept, in one write, before that
   * content is published: a crash at any moment leaves both or neither.
   */
  next: Type.Optional(Type.Intersect([MadeSchema, Type.Object({
    /** Revision of the superseding content; absent if the storage did not know it in advance. */
    revision: OptionalString
  })]))
})

/** How content came about. */
export type Made = Readonly<Static<typeof MadeSchema>>
export type Details = Readonly<Static<typeof Details>>

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])

/** Nothing nested: such data would be nobody's answers. */
export const FormData = Type.Array(Type.Object({}, {
  additionalProperties: Type.Union([Scalar, Type.Array(Scalar)])
}))
export type FormData = Static<typeof FormData>
