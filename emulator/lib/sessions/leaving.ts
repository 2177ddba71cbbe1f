import { type Action, type CallbackFields, NOTHING_SENT } from '../host/callbacks.js'
import { resultFolder } from '../results/files.js'
import { type Built, build, lastChanger, lastSave } from './built.js'
import { deliver, deliverUntilAnswered } from './delivery.js'
import { editors, type OpenDocument, type Participant, tell, userIds, usersOf } from './documents.js'
import type { SessionParts } from './parts.js'
import type { CallbackResult } from '../../types/session.js'

/** Leaves by closing: 1 while others stay, 2 after a change, else 4. Runs in the document's turn. */
export async function leave (parts: SessionParts, document: OpenDocument, participant: Participant): Promise<CallbackResult> {
  if (!document.participants.has(participant.connectionId)) return NOTHING_SENT
  document.gone.add(participant)
  return await depart(parts, document, participant) ?? await finish(parts, document, participant)
}

/** Leaves by a cut connection. True when there is something to save, should nobody come back in time. */
export async function vanish (parts: SessionParts, document: OpenDocument, participant: Participant): Promise<boolean> {
  // Whoever has come back meanwhile is another participant by the same id.
  if (document.participants.get(participant.connectionId) !== participant) return false
  document.disconnected.set(participant.connectionId, participant)
  return await depart(parts, document, participant) === null
}

/** `null` when the document is to be saved. */
async function depart (parts: SessionParts, document: OpenDocument, participant: Participant): Promise<CallbackResult | null> {
  document.participants.delete(participant.connectionId)
  tell(document, { type: 'users', users: usersOf(document) })
  if (participant.viewOnly) return NOTHING_SENT
  const { key } = document
  const { callbackUrl } = participant
  const users = userIds(editors(document))
  if (users.length > 0) return await deliver(parts, callbackUrl, { key, status: 1, users, actions: left(participant) })
  if (document.changes.length > 0 || document.fromForgotten) return null
  return await deliver(parts, callbackUrl, { key, status: 4, actions: left(participant) })
}

/** Everybody has left and something is to be saved: a 2, or a 3 when it can't be put together. */
export async function finish (parts: SessionParts, document: OpenDocument, leaver: Participant): Promise<CallbackResult> {
  const saver = lastChanger(document) ?? leaver
  const edits = document.watch.edits()
  const folder = document.saving?.edits === edits ? document.saving.folder : resultFolder(document.key)
  document.saving = { folder, edits, leaver }
  const built = await build(parts, document, folder)
  const status = typeof built === 'object' && 'bytes' in built ? 2 : 3
  const result: Built | null = built === 'failed' ? null : 'corrupted' in built ? built.corrupted : built
  const { changes, forceSave, key } = document
  const common = {
    key,
    users: [saver.userId],
    actions: left(leaver),
    lastsave: lastSave(document, parts.time.now()),
    notmodified: changes.length === 0 ? null : forceSave?.outcome === 'accepted' && forceSave.changes === changes.length
  }
  const answer = await deliverUntilAnswered(parts, saver.callbackUrl, (): CallbackFields => ({ ...common, status, ...result?.fields(saver.baseUrl) }))
  document.saving = null
  if (answer.accepted) applyAccepted(parts, document, status, result, answer)
  else applyRefused(parts, document, result, answer)

  const saved = { type: 'saved', accepted: answer.accepted } as const
  for (const listener of document.gone) listener.notify(saved)
  tell(document, saved)
  document.gone.clear()
  return answer
}

/** The host has it: changes and forgotten copy are deleted, the key is view-only unless it came from the copy. */
function applyAccepted ({ documents, forgotten, time }: SessionParts, document: OpenDocument, status: 2 | 3, built: Built | null, answer: CallbackResult): void {
  const { opened, fromForgotten } = document
  Object.assign(document, fresh())
  if (opened !== null) Object.assign(document, { source: opened.bytes, fileType: opened.fileType })
  document.savedAt = fromForgotten ? null : time.now()
  document.disconnected.clear()
  forgotten.delete(document.key)
  if (fromForgotten) forget(documents, document)
  if (status === 2 && built !== null) document.watch.accepted(built.edits, answer)
  else document.watch.refused(answer)
}

/** What was built becomes a forgotten file. Without a result the changes stay, and so does the key. */
function applyRefused ({ documents, forgotten, log }: SessionParts, document: OpenDocument, built: Built | null, answer: CallbackResult): void {
  const { key, fileType } = document
  document.watch.refused(answer)
  if (built === null) {
    log.error({ key, ...answer }, 'the document could not be put together: its changes are kept')
    return
  }
  forgotten.set(key, { fileType, bytes: built.bytes })
  Object.assign(document, { ...fresh(), opened: null, source: null })
  forget(documents, document)
  log.error({ key, ...answer }, 'the host refused the save: the document is kept as a forgotten file')
}

function fresh () {
  return { changes: [], forceSave: null, editable: null, fromForgotten: false }
}

/** Viewers may still have it open. */
function forget (documents: SessionParts['documents'], document: OpenDocument): void {
  document.disconnected.clear()
  if (document.participants.size === 0) documents.forget(document)
}

function left (participant: Participant): Action[] {
  return [{ type: 0, userid: participant.userId }]
}
