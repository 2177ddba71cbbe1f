import type { Operation } from '../../documents/types.js'
import type { EditorEvent, EditorUser } from '../../../types/session.js'

/** Someone who has the document open: a browser's connection or a scripted session. */
export interface Participant {
  /** Identifies the connection: two tabs of one user have two. */
  readonly connectionId: string
  readonly userId: string
  readonly userName: string
  readonly viewOnly: boolean
  /** Opened a key that has already been saved. Not listed as a user of the document. */
  readonly outdated: boolean
  readonly callbackUrl: string | null
  /** The URL at which this connection reached the server. */
  readonly baseUrl: string
  readonly notify: (event: ParticipantEvent) => void
}

export type ParticipantEvent =
  | EditorEvent
  /** An edit to be shown by editor pages. */
  | { readonly type: 'operation', readonly operation: Operation, readonly by: string }
  /** The whole content was replaced. `by`: the connection of an editor page that did it. */
  | { readonly type: 'content', readonly by?: string }

interface WithParticipants {
  readonly participants: ReadonlyMap<string, Participant>
}

/** Participants who may edit. Only they cause presence callbacks. */
export function editors ({ participants }: WithParticipants): Participant[] {
  return [...participants.values()].filter(({ viewOnly }) => !viewOnly)
}

export function userIds (participants: readonly Participant[]): string[] {
  return [...new Set(participants.map(({ userId }) => userId))]
}

export function usersOf ({ participants }: WithParticipants): EditorUser[] {
  return [...participants.values()].filter(({ outdated }) => !outdated).map(({ userId, userName, viewOnly }) => ({
    id: userId,
    name: userName,
    viewOnly
  }))
}

export function notifyAll ({ participants }: WithParticipants, event: ParticipantEvent, except?: Participant): void {
  for (const participant of participants.values()) {
    if (participant !== except) participant.notify(event)
  }
}
