import { type Static, Type } from 'typebox'
import type { SavedEvent } from '../../types/events.js'

// The record of a file: one small JSON value in the storage's `state`, shared by all instances of the application.

/** As the storage reported it: an odd `size` must not make the record useless. */
type SavedResult = Readonly<Pick<SavedEvent, 'extension' | 'size' | 'revision' | 'conflictFileId' | 'conflictReason'>>

const OptionalString = Type.Optional(Type.String())
const Milliseconds = Type.Number() // since the epoch

const SessionSchema = Type.Object({
  key: Type.String(),
  /** See session-states.ts. */
  state: Type.Union([
    Type.Literal('open'),
    Type.Literal('unconfirmed'),
    Type.Literal('refused'),
    Type.Literal('reopened')
  ]),
  /** Revision of the stored content that the session's content is based on; absent when unknown. */
  baseRevision: OptionalString,
  /** A force save was stored since a save was refused: the document server may still return to that one. */
  isAheadOfRefused: Type.Optional(Type.Boolean()),
  /**
   * When the document server last reported this session; `LONG_AGO` if it is to be asked before the next user joins.
   */
  lastReported: Milliseconds,
  /** The conflict copy: the session is saved there because someone else changed the edited file. */
  conflictFileId: OptionalString,
  /** Revision of that file after the session's last save. If it differs, someone else changed that file. */
  conflictRevision: OptionalString
})

const SaveIdentitySchema = Type.Object({
  key: Type.String(),
  status: Type.Union([Type.Literal(2), Type.Literal(6)]),
  /**
   * Path of the saved file at the document server, which is the same when it repeats a callback; the URL's host and
   * query are not. Absent when there was nothing to fetch.
   */
  path: OptionalString,
  /**
   * When the document was last changed, by the document server's clock. The path alone is no identity: its number is
   * short and random.
   */
  lastsave: OptionalString,
  /**
   * Stands for the oldest of its changes: the same in all saves until the document server opens the document anew.
   * Absent when unknown.
   */
  firstChange: OptionalString
})

const StoredSaveSchema = Type.Intersect([
  SaveIdentitySchema,
  Type.Object({
    storedAt: Milliseconds,
    /**
     * Of the stored file, if the next session under this key is sure to be based on it; absent if nothing was stored in
     * the file.
     */
    revision: OptionalString,
    /** What `onSaved` receives about the content; absent if nothing was stored. */
    result: Type.Optional(
      Type.Unsafe<SavedResult>(Type.Object({ revision: Type.String(), conflictFileId: OptionalString }))
    )
  })
])

const ForceSaveResultSchema = Type.Object({
  /**
   * The save that it comes from. `own`: the one that the command started. `later`: the one that a later command
   * started. `final`: the end of the session, reported after the command. `final-before`: the same, but it may have
   * been reported before. `repeat`: a refused force save that the document server repeated while it had not answered
   * the command. `other`: any other force save of the session.
   */
  from: Type.Union([
    Type.Literal('own'),
    Type.Literal('later'),
    Type.Literal('final'),
    Type.Literal('final-before'),
    Type.Literal('repeat'),
    Type.Literal('other')
  ]),
  /** Of the stored content; absent if it was not stored. */
  revision: OptionalString,
  /** The conflict copy that it was stored in. */
  conflictFileId: OptionalString,
  /** Code of the error if it was not stored. */
  code: OptionalString,
  isRetryable: Type.Optional(Type.Boolean())
})

const ForceSaveSchema = Type.Object({
  /** `userdata` of the command. */
  id: Type.String(),
  key: Type.String(),
  startedAt: Milliseconds,
  /** The document server has started nothing for it: it waits for other saves. */
  isIdle: Type.Optional(Type.Boolean()),
  /** The latest save of the session that was stored since the command was noted. */
  stored: Type.Optional(Type.Pick(ForceSaveResultSchema, ['revision', 'conflictFileId'])),
  result: Type.Optional(ForceSaveResultSchema)
})

const BearingSchema = Type.Object({
  own: OptionalString,
  waiting: Type.Optional(Type.Array(Type.String())),
  isRepeat: Type.Optional(Type.Boolean())
})

const PublishingSchema = Type.Object({
  /** Absent if no save is published, but an earlier version. */
  save: Type.Optional(StoredSaveSchema),
  /** Revision of the earlier version that is published. */
  restored: OptionalString,
  bearing: Type.Optional(BearingSchema),
  /** For `Storage.revoke`. */
  ticket: OptionalString
})

const LockSchema = Type.Object({
  id: Type.String(),
  /** The process that holds it, where the storage can tell whether a process has ended. */
  owner: OptionalString,
  /**
   * A note of what is about to be published. If the holder dies, the stored revision tells whether it was published.
   */
  publishing: Type.Optional(PublishingSchema)
})

export const FileRecord = Type.Object({
  /** Editing sessions that are open or may be reopened. New users join the first one that they can join. */
  sessions: Type.Array(SessionSchema),
  /** The latest ones, newest first. */
  saves: Type.Array(StoredSaveSchema),
  /** Force saves that `forceSave()` waits for, oldest first. */
  forceSaves: Type.Optional(Type.Array(ForceSaveSchema)),
  /** The latest key that the document server could not open, and when it was given up. */
  unopened: Type.Optional(Type.Object({ key: Type.String(), at: Milliseconds })),
  lock: Type.Optional(LockSchema)
})

export type Session = Readonly<Static<typeof SessionSchema>>
/** What distinguishes one save from another. */
export type SaveIdentity = Readonly<Static<typeof SaveIdentitySchema>>
export type StoredSave = Readonly<Static<typeof StoredSaveSchema>>
export type ForceSave = Readonly<Static<typeof ForceSaveSchema>>
export type ForceSaveResult = Readonly<Static<typeof ForceSaveResultSchema>>
/** What a callback means to the force saves that are waited for. */
export type Bearing = Readonly<Static<typeof BearingSchema>>
export type Publishing = Readonly<Static<typeof PublishingSchema>>
export type Lock = Readonly<Static<typeof LockSchema>>
export type FileRecord = Readonly<Static<typeof FileRecord>>
