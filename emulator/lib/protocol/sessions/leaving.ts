import type { Action } from '../outbound/callbacks.js'
import { callbackUrlOf, type PendingCallback, startPresence } from './callbacks.js'
import type { OpenDocument, Save } from './open-document.js'
import type { Parts } from '../parts.js'
import { editors, notifyAll, type Participant, userIds, usersOf } from './participants.js'

/** What follows when a participant leaves: a 1 or 4 that is under way, a save, or nothing. */
export type AfterLeaving = PendingCallback | Save | null

/**
 * Closes the document: sends 1 while others stay; starts a save after a change; else sends 4. Runs in the document's
 * turn.
 */
export async function leave (parts: Parts, document: OpenDocument, participant: Participant): Promise<AfterLeaving> {
  if (!document.participants.has(participant.connectionId)) return null
  // Of those who close in the same instant, the first callback names nobody. Source: recorded.
  await new Promise(resolve => setImmediate(resolve))
  if (!document.participants.has(participant.connectionId)) return null
  document.leave(participant)
  return await afterLeaving(parts, document, participant)
}

/** Like `leave`, but by a cut connection: the save waits for the participant to come back. */
export async function disconnect (
  parts: Parts,
  document: OpenDocument,
  participant: Participant
): Promise<AfterLeaving> {
  // A participant who has come back meanwhile is another object with the same connection id.
  if (document.participants.get(participant.connectionId) !== participant) return null
  document.disconnect(participant)
  return await afterLeaving(parts, document, participant, { waits: true })
}

async function afterLeaving (
  parts: Parts,
  document: OpenDocument,
  participant: Participant,
  { waits = false } = {}
): Promise<AfterLeaving> {
  notifyAll(document, { type: 'users', users: usersOf(document) })
  if (document.isRemoved) parts.documents.remove(document)
  if (participant.viewOnly) return null
  const { key } = document
  const url = callbackUrlOf(document, participant)
  const others = editors(document)
  if (others.length > 0) {
    const users = userIds(others.filter(other => !document.closing.has(other)))
    return await startPresence(parts, document, url, { key, status: 1, users, actions: userLeft(participant.userId) })
  }
  if (document.changes.length > 0 || parts.forgotten.has(key)) {
    return document.startSave(participant, parts.time.now(), { waits })
  }
  document.takeRevocation() // there is no acceptance to revoke
  if (participant.userId === '') return null // nobody is told
  return await startPresence(parts, document, url, { key, status: 4, actions: userLeft(participant.userId) })
}

export function userLeft (userid: string): Action[] {
  return [{ type: 0, userid }]
}
