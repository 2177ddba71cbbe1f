import type { Editable, Operation } from '../documents/types.js'
import type { Prepared } from './force-saving.js'
import { saveWatch, type SaveWatch } from './save-watch.js'
import type { EditorEvent, EditorUser } from '../../types/session.js'

/** Someone with the document open: a browser's connection or a scripted session. */
export interface Participant {
  /** Differs between two tabs of one user. */
  readonly connectionId: string
  readonly userId: string
  readonly userName: string
  readonly viewOnly: boolean
  /** Opened a key that is used up: is not counted among those who are there. */
  readonly outdated: boolean
  readonly callbackUrl: string | null
  /** Address the participant's connection reached this server at. */
  readonly baseUrl: string
  /** Tells the participant what happened. */
  readonly notify: (event: ParticipantEvent) => void
}

export type ParticipantEvent =
  | EditorEvent
  /** What others did to the text, for an editor that shows it. */
  | { readonly type: 'operation', readonly operation: Operation, readonly by: string }
  | { readonly type: 'content' }

export interface Change {
  readonly user: Participant
  readonly at: number
}

/** The last force save: of how many changes, and what became of it. */
export interface ForceSave {
  readonly changes: number
  /** A submitted form is put together in a way of its own. */
  readonly isForm: boolean
  outcome: 'under way' | 'accepted' | 'refused' | 'failed'
  /** What is posted again on demand after a refusal; null while it is being put together. */
  prepared: Prepared | null
  /** Settled when it may be posted: a finished save does not overtake it. */
  announced: Promise<unknown> | undefined
}

/** The save after the last editor left. */
export interface Save {
  readonly leaver: Participant
  readonly edits: number
  /** Of what is put together. Sent again after a crash it is the same. */
  readonly folder: string
  /** Whoever left by a cut connection is waited for, unless `soon` is aborted. */
  waits: boolean
  readonly soon: AbortController
}

/** A document by its key: downloaded once, edited by many, built when it is saved. */
export interface OpenDocument {
  readonly key: string
  fileType: string
  /** What it was opened with: as downloaded, or a forgotten file. `null` before. */
  opened: { readonly bytes: Uint8Array, readonly fileType: string, readonly at: number } | null
  /** While `opened` is fetched: all who open it meanwhile wait for the same. */
  loading: Promise<void> | null
  /** What editing started from: as opened or handed in. Edits are in `editable`, once there were any. */
  source: Uint8Array | null
  editable: Editable | null
  readonly participants: Map<string, Participant>
  /** Whose connection was cut, and who may come back. */
  readonly disconnected: Map<string, Participant>
  /** Who left and still listens. */
  readonly gone: Set<Participant>
  /** Changes that were not saved for good, oldest first. */
  changes: Change[]
  forceSave: ForceSave | null
  /** The content came from a forgotten file. */
  fromForgotten: boolean
  /** Until it is answered for good. Whoever edits again before it is posted, or between two attempts, calls it off. */
  saving: Save | null
  /** When a finished save was posted that is not refused: meanwhile, and for a while after it, the key is view-only. */
  sentAt: number | null
  /** The key is unknown to commands and opens anew: only viewers are left of it. */
  removed: boolean
  /** Callback address of the last who joined: where the host is told when nobody is there. */
  lastCallbackUrl: string | null
  /** Address that the last who joined reached this server at: result files are announced below it. */
  baseUrl: string
  /** What the command `saved` said of the save: other than `"1"`, its acceptance does not count. */
  saidOfSave: unknown
  joined: number
  readonly watch: SaveWatch
}

export interface Documents {
  get (key: string): OpenDocument | undefined
  getOrCreate (key: string, fileType: string): OpenDocument
  /** The next opening of the key starts anew. */
  forget (document: OpenDocument): void
  all (): OpenDocument[]
  /** One after the other for each key, so that callbacks keep their order. */
  inTurn<Result> (key: string, task: () => Promise<Result>): Promise<Result>
  /** Something that goes on beside the turns. */
  aside<Result> (task: Promise<Result>): Promise<Result>
  /** Resolves when all that was taken up so far has ended. */
  settled (): Promise<void>
}

export function documents (): Documents {
  const byKey = new Map<string, OpenDocument>()
  const turns = new Map<string, Promise<unknown>>()
  const others = new Set<Promise<unknown>>()

  return {
    get (key) {
      const known = byKey.get(key)
      return known?.removed === true ? undefined : known
    },
    getOrCreate (key, fileType) {
      const known = byKey.get(key)
      if (known !== undefined) return Object.assign(known, { removed: false })
      const created: OpenDocument = {
        key,
        fileType,
        opened: null,
        loading: null,
        source: null,
        editable: null,
        participants: new Map(),
        disconnected: new Map(),
        gone: new Set(),
        changes: [],
        forceSave: null,
        fromForgotten: false,
        saving: null,
        sentAt: null,
        removed: false,
        lastCallbackUrl: null,
        baseUrl: '',
        saidOfSave: null,
        joined: 0,
        watch: saveWatch()
      }
      byKey.set(key, created)
      return created
    },
    forget (document) {
      Object.assign(document, { opened: null, lastCallbackUrl: null, removed: true })
      document.disconnected.clear()
      if (document.participants.size === 0) byKey.delete(document.key)
    },
    all: () => [...byKey.values()],
    inTurn (key, task) {
      const turn = (turns.get(key) ?? Promise.resolve()).then(task)
      const settled = turn.catch(() => {})
      turns.set(key, settled)
      settled.then(() => { if (turns.get(key) === settled) turns.delete(key) })
      return turn
    },
    aside (task) {
      const settled = task.catch(() => {}).finally(() => others.delete(settled))
      others.add(settled)
      return task
    },
    async settled () {
      while (turns.size + others.size > 0) await Promise.all([...turns.values(), ...others])
    }
  }
}

/** Whether the host has taken a save by force of all the changes there are. */
export function isForceSaved ({ changes, forceSave }: OpenDocument): boolean {
  return forceSave?.outcome === 'accepted' && forceSave.changes === changes.length
}

/** Those whose coming and going the host is told of. */
export function editors (document: OpenDocument): Participant[] {
  return [...document.participants.values()].filter(({ viewOnly }) => !viewOnly)
}

export function userIds (participants: readonly Participant[]): string[] {
  return [...new Set(participants.map(({ userId }) => userId))]
}

export function usersOf (document: OpenDocument): EditorUser[] {
  return [...document.participants.values()].filter(({ outdated }) => !outdated).map(({ userId, userName, viewOnly }) => ({ id: userId, name: userName, viewOnly }))
}

export function tell (document: OpenDocument, event: ParticipantEvent, except?: Participant): void {
  for (const participant of document.participants.values()) {
    if (participant !== except) participant.notify(event)
  }
}
