import type { Connection, EditingEvent, PageUser } from '../../editing.js'
import type { EditorUser } from '../../../types/session.js'

/** Someone who has the document open: a browser's connection or a scripted session. */
export interface Participant extends PageUser, Connection {
  /** Opened a key that has already been saved. Not listed as a user of the document. */
  readonly outdated: boolean
  readonly callbackUrl: string | null
}

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

export function notifyAll ({ participants }: WithParticipants, event: EditingEvent, except?: Participant): void {
  for (const participant of participants.values()) {
    if (participant !== except) participant.notify(event)
  }
}
