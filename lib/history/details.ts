import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { StagedContent } from '../../types/storage.js'

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

const DetailsSchema = Type.Object({
  /** How this content came about; absent if the plugin did not store it. */
  made: Type.Optional(MadeSchema),
  /**
   * How the content that superseded it came about. Noted here because this version is kept, in one write, before that content is
   * published: a crash at any moment leaves both or none.
   */
  next: Type.Optional(Type.Intersect([MadeSchema, Type.Object({
    /** Of that content; absent if the storage did not know it in advance. */
    revision: OptionalString
  })]))
})

/** How a content came about. */
export type Made = Readonly<Static<typeof MadeSchema>>
export type Details = Readonly<Static<typeof DetailsSchema>>

/** What is known of content that is about to replace another one. */
export interface NewVersion {
  readonly made: Made
  /** The document server's data of its changes. */
  readonly changes?: StagedContent | undefined
}

const compiled = () => Compile(DetailsSchema)

/** Compiled when it is first needed: a listing checks hundreds. */
let validator: ReturnType<typeof compiled> | undefined

/** Anything else was put there by another program. */
export function detailsOf (value: unknown): Details {
  validator ??= compiled()
  return validator.Check(value) ? value : {}
}

/** No document server and no application has longer ones for a good reason: details must fit into what storages take. */
export const MAX_TEXT_LENGTH = 255

/** Who made a version, as far as it can be kept. */
export function madeBy ({ id, name }: { readonly id?: unknown, readonly name?: unknown } = {}): Pick<Made, 'user'> {
  if (typeof id !== 'string') return {}
  return { user: { id: id.slice(0, MAX_TEXT_LENGTH), name: typeof name === 'string' ? name.slice(0, MAX_TEXT_LENGTH) : '' } }
}

/** How the content with this revision came about, by the details of the version that it superseded. */
export function madeAfter (previous: Details, revision: string): Made | undefined {
  if (previous.next === undefined) return undefined
  const { revision: published, ...made } = previous.next
  return published === undefined || published === revision ? made : undefined
}
