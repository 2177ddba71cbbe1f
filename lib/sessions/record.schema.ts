import { type Static, Type } from 'typebox'
import type { SavedEvent } from '../../types/events.js'

// The plugin's notes about a file: one small JSON value, shared by all instances of the application. A record with
// unknown fields is refused, because a rewrite would drop what a newer version of this library has added. Any change
// here needs another `format`.

/** Copied from the storage and not validated: an odd `size` must not make the record useless. */
interface SavedResult extends Omit<SavedEvent['stored'], 'fileId'>, Pick<SavedEvent, 'rule'> {
  readonly conflictFileId?: string
  readonly conflictReason?: NonNullable<SavedEvent['conflict']>['reason']
}

const OptionalString = Type.Optional(Type.String())
/** Milliseconds since the epoch. */
const Milliseconds = Type.Number()
const exact = { additionalProperties: false } as const

const SessionSchema = Type.Object({
  key: Type.String(),
  /** See `SessionState` in record.ts. */
  state: Type.Union([
    Type.Literal('open'),
    Type.Literal('unconfirmed'),
    Type.Literal('refused'),
    Type.Literal('reopened')
  ]),
  /** Revision of the stored content that the session's content is based on; absent when unknown. */
  baseRevision: OptionalString,
  /** A force save was stored since a save was refused. The document server may still return to the refused save. */
  isAheadOfRefused: Type.Optional(Type.Boolean()),
  /** When the document server last reported this session; `LONG_AGO` if it must be asked before the next user joins. */
  lastReported: Milliseconds,
  /** The conflict copy in which the session is saved, because someone else changed the edited file. */
  conflictFileId: OptionalString,
  /** Revision of the conflict copy after the session's last save. If it differs, someone else changed the copy. */
  conflictRevision: OptionalString,
  /** It began while the document was frozen: it is saved in a conflict copy, and new users do not join it. */
  isFrozenOut: Type.Optional(Type.Boolean())
}, exact)

const SaveIdentitySchema = Type.Object({
  key: Type.String(),
  status: Type.Union([Type.Literal(2), Type.Literal(6)]),
  /**
   * Path of the saved file at the document server. It stays the same when a callback is repeated; the URL's host and
   * query do not. Absent if there was nothing to fetch.
   */
  path: OptionalString,
  /**
   * When the document was last changed, by the document server's clock. The path alone does not identify a save: its
   * number is short and random.
   */
  lastsave: OptionalString,
  /**
   * Identifies the oldest change: the same in all saves until the document server opens the document anew. Absent when
   * unknown.
   */
  firstChange: OptionalString
}, exact)

const ResultSchema = Type.Object({
  fileType: Type.Optional(Type.Unknown()),
  size: Type.Optional(Type.Unknown()),
  revision: Type.String(),
  conflictFileId: OptionalString,
  conflictReason: Type.Optional(Type.Union([
    Type.Literal('changed'),
    Type.Literal('format'),
    Type.Literal('frozen')
  ])),
  /** Name of the rule that has decided: see save/rules.ts. */
  rule: OptionalString
}, exact)

const StoredSaveSchema = Type.Object({
  ...SaveIdentitySchema.properties,
  storedAt: Milliseconds,
  /**
   * Revision of the stored file, if the next session under this key is certain to be based on it. Absent if nothing was
   * stored in the file.
   */
  revision: OptionalString,
  /**
   * SHA-256 of the content as the document server sent it. Noted if the file does not show it: for a conflict copy, and
   * for content that `inspect` replaced.
   */
  hash: OptionalString,
  /**
   * Content fields of the `onSaved` event; absent if nothing was stored. In the record of a conflict copy, they
   * describe the save that was stored there for another file, with the copy's own ID as `conflictFileId`.
   */
  result: Type.Optional(Type.Unsafe<SavedResult>(ResultSchema))
}, exact)

const ForceSaveResultSchema = Type.Object({
  /** Whether this is the outcome of the command itself, or of another save of the session. */
  isAnswer: Type.Boolean(),
  /** Revision of the stored content; absent if nothing was stored. */
  revision: OptionalString,
  /** The conflict copy with the content. */
  conflictFileId: OptionalString,
  /** Error code if nothing was stored. */
  code: OptionalString,
  isRetryable: Type.Optional(Type.Boolean())
}, exact)

const ForceSaveSchema = Type.Object({
  /** `userdata` of the command. */
  id: Type.String(),
  key: Type.String(),
  startedAt: Milliseconds,
  result: Type.Optional(ForceSaveResultSchema)
}, exact)

const RefusalSchema = Type.Object({
  key: Type.String(),
  /** When the first of these consecutive refusals happened. */
  since: Milliseconds,
  /** Error code of the latest refusal. */
  code: Type.String(),
  /** Message for the users, if the application rejected the save. */
  message: OptionalString,
  /** As in the identity of the latest refused save. */
  lastsave: OptionalString
}, exact)

const HoldSchema = Type.Object({
  /** Who froze the document: `by` of `freeze()`. */
  by: Type.String(),
  since: Milliseconds,
  /** When it expires. Absent if it does not expire. */
  until: Type.Optional(Milliseconds),
  /** Shown to users. */
  reason: OptionalString
}, exact)

export const SessionRecord = Type.Object({
  format: Type.Literal(1),
  /** Editing sessions that are open or may be reopened. New users join the first one that they can join. */
  sessions: Type.Array(SessionSchema),
  /** The latest saves, newest first. */
  saves: Type.Array(StoredSaveSchema),
  /** Force saves with a waiting `forceSave()` call, oldest first. */
  forceSaves: Type.Optional(Type.Array(ForceSaveSchema)),
  /** Sessions whose latest save was refused, or could not be made, newest first. */
  refusals: Type.Optional(Type.Array(RefusalSchema)),
  /** The latest key that the document server could not open, and when it was given up. */
  unopened: Type.Optional(Type.Object({ key: Type.String(), at: Milliseconds }, exact)),
  frozen: Type.Optional(Type.Object({
    holds: Type.Array(HoldSchema),
    /**
     * Keys of sessions that began before the freeze and have not ended, as far as is known: only their saves reach the
     * file. Empty once `freeze()` has resolved.
     */
    keys: Type.Array(Type.String())
  }, exact))
}, exact)

export type Session = Readonly<Static<typeof SessionSchema>>
/** Identifies a save. */
export type SaveIdentity = Readonly<Static<typeof SaveIdentitySchema>>
export type StoredSave = Readonly<Static<typeof StoredSaveSchema>>
export type ForceSave = Readonly<Static<typeof ForceSaveSchema>>
export type ForceSaveResult = Readonly<Static<typeof ForceSaveResultSchema>>
export type Refusal = Readonly<Static<typeof RefusalSchema>>
/** One freeze of a document. */
export type Hold = Readonly<Static<typeof HoldSchema>>
export type SessionRecord = Readonly<Static<typeof SessionRecord>>
