import type { Editable, Operation } from './editing/types.js'

/** Someone with the document open: a browser's connection or a scripted session. */
export interface Participant {
  /** Differs between two tabs of one user. */
  readonly connectionId: string
  readonly userId: string
  readonly userName: string
  readonly viewOnly: boolean
  readonly callbackUrl: string | null
  /** Address the participant's connection reached this server at: result files are announced below it. */
  readonly baseUrl: string
  /** Tells the participant what others did. */
  readonly notify: (event: ParticipantEvent) => void
}

export type ParticipantEvent =
  | { readonly type: 'users' }
  | { readonly type: 'operation', readonly operation: Operation, readonly by: string }
  | { readonly type: 'content' }
  | { readonly type: 'saved', readonly accepted: boolean }
  | { readonly type: 'dropped' }

export interface Change {
  readonly user: Participant
  readonly at: number
}

/** A document by its key: downloaded once, edited by many, built when it is saved. */
export interface OpenDocument {
  readonly key: string
  fileType: string
  /** As downloaded or handed in; `null` before. Edits are in `editable`, once there were any. */
  source: Uint8Array | null
  editable: Promise<Editable> | null
  downloadedAt: number
  readonly participants: Map<string, Participant>
  /** Changes since the document was opened, oldest first. */
  changes: Change[]
  /** How many of the changes the last accepted force save had. */
  forceSaved: number
  /** The content came from a forgotten file, so that closing saves it even without a change. */
  fromForgotten: boolean
  /** When a 2 was accepted: the key is view-only for a while. */
  savedAt: number | null
  /** Callback address of the last editor that joined: where the host is told when nobody is there. */
  lastCallbackUrl: string | null
  joined: number
}

export interface Documents {
  get (key: string): OpenDocument | undefined
  getOrCreate (key: string, fileType: string): OpenDocument
  all (): Iterable<OpenDocument>
  /** One after the other for each key, so that callbacks keep their order. */
  inTurn<Result> (key: string, task: () => Promise<Result>): Promise<Result>
}

export function documents (): Documents {
  const byKey = new Map<string, OpenDocument>()
  const turns = new Map<string, Promise<unknown>>()

  return {
    get: key => byKey.get(key),
    getOrCreate (key, fileType) {
      const known = byKey.get(key)
      if (known !== undefined) return known
      const created: OpenDocument = {
        key,
        fileType,
        source: null,
        editable: null,
        downloadedAt: 0,
        participants: new Map(),
        changes: [],
        forceSaved: 0,
        fromForgotten: false,
        savedAt: null,
        lastCallbackUrl: null,
        joined: 0
      }
      byKey.set(key, created)
      return created
    },
    all: () => byKey.values(),
    inTurn (key, task) {
      const turn = (turns.get(key) ?? Promise.resolve()).then(task)
      const settled = turn.catch(() => {})
      turns.set(key, settled)
      settled.then(() => { if (turns.get(key) === settled) turns.delete(key) })
      return turn
    }
  }
}

/** Those whose coming and going the host is told of. */
export function editors (document: OpenDocument): Participant[] {
  return [...document.participants.values()].filter(({ viewOnly }) => !viewOnly)
}

export function userIds (participants: readonly Participant[]): string[] {
  return [...new Set(participants.map(({ userId }) => userId))]
}
