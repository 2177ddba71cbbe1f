import { type Action, NOTHING_SENT } from '../host/callbacks.js'
import { resultFolder } from '../results/files.js'
import { type Assembly, assemble, type Built, lastChanger, lastSave } from './built.js'
import { isForgotten } from './content.js'
import { announce, type Announced, deliver, untilAnswered } from './delivery.js'
import { editors, isForceSaved, type OpenDocument, type Participant, type Save, tell, userIds, usersOf } from './documents.js'
import type { SessionParts } from './parts.js'
import type { CallbackResult } from '../../types/session.js'

/** What follows from leaving: a 1 or 4 under way, a save to be made, or nothing. */
export type Left = Announced | Save | null

/** Leaves by closing: 1 while others stay, a save after a change, else 4. Runs in the document's turn. */
export async function leave (parts: SessionParts, document: OpenDocument, participant: Participant): Promise<Left> {
  if (!document.participants.has(participant.connectionId)) return null
  document.gone.add(participant)
  return await depart(parts, document, participant)
}

/** Leaves by a cut connection. The save waits for somebody to come back. */
export async function vanish (parts: SessionParts, document: OpenDocument, participant: Participant): Promise<Left> {
  // Whoever has come back meanwhile is another participant by the same id.
  if (document.participants.get(participant.connectionId) !== participant) return null
  document.disconnected.set(participant.connectionId, participant)
  return await depart(parts, document, participant, { waits: true })
}

async function depart (parts: SessionParts, document: OpenDocument, participant: Participant, { waits = false } = {}): Promise<Left> {
  document.participants.delete(participant.connectionId)
  tell(document, { type: 'users', users: usersOf(document) })
  if (document.removed) parts.documents.forget(document)
  if (participant.viewOnly) return null
  const { key } = document
  const url = callbackUrlOf(document, participant)
  const users = userIds(editors(document))
  if (users.length > 0) return await announce(parts, document, url, { key, status: 1, users, actions: left(participant.userId) })
  if (document.changes.length > 0 || parts.forgotten.has(key)) return beginSave(document, participant, { waits })
  document.saidOfSave = null
  return await announce(parts, document, url, { key, status: 4, actions: participant.userId === '' ? undefined : left(participant.userId) })
}

/** Their own, else that of the last who had one. */
export function callbackUrlOf ({ lastCallbackUrl }: OpenDocument, { callbackUrl }: Participant): string | null {
  return callbackUrl ?? lastCallbackUrl
}

/** From now on somebody who edits calls it off. */
export function beginSave (document: OpenDocument, leaver: Participant, { waits = false, folder = resultFolder(document.key) } = {}): Save {
  const save = { leaver, edits: document.watch.edits(), folder, waits, soon: new AbortController() }
  document.saving = save
  return save
}

/** Puts the document together and posts a 2, or a 3 when that fails, until it is answered for good. Does nothing once it is called off. */
export async function finish (parts: SessionParts, document: OpenDocument, save: Save): Promise<CallbackResult> {
  const isCalledOff = () => document.saving !== save
  if (isCalledOff()) return NOTHING_SENT
  save.waits = false
  const assembly = await assemble(parts, document, save.folder)
  if (isCalledOff()) return NOTHING_SENT

  const lastsave = lastSave(document, parts.time.now())
  const answer = await untilAnswered(parts, async () => await post(parts, document, save, assembly, lastsave), isCalledOff)
  if (isCalledOff()) return answer
  document.saving = null
  if (answer.accepted) applyAccepted(parts, document, assembly, answer)
  else applyRefused(parts, document, assembly, answer)

  const saved = { type: 'saved', accepted: answer.accepted } as const
  for (const listener of document.gone) listener.notify(saved)
  tell(document, saved)
  document.gone.clear()
  return answer
}

/** One attempt. Nothing is sent where there is nobody to send it to, or nobody to name. */
async function post (parts: SessionParts, document: OpenDocument, { leaver }: Save, { built, succeeded }: Assembly, lastsave: string): Promise<CallbackResult> {
  const { key } = document
  const changer = lastChanger(document)
  const saver = changer ?? leaver
  const user = saver.userId || leaver.userId
  if (user === '') return NOTHING_SENT
  let isRefused = true
  document.sentAt = parts.time.now()
  try {
    const answer = unlessSaidOtherwise(document, await deliver(parts, callbackUrlOf(document, saver), {
      key,
      status: succeeded ? 2 : 3,
      users: [user],
      actions: left(leaver.userId || user),
      lastsave,
      notmodified: changer === undefined ? null : isForceSaved(document),
      ...built?.fields(document.baseUrl)
    }))
    isRefused = !answer.accepted
    return answer
  } finally {
    if (isRefused) document.sentAt = null
  }
}

/** By the command `saved` a host takes its answer back. Source: docs/document-server-protocol.md#asking-and-being-answered */
function unlessSaidOtherwise (document: OpenDocument, answer: CallbackResult): CallbackResult {
  if (!answer.accepted) return answer
  const { saidOfSave } = document
  document.saidOfSave = null
  return saidOfSave === null ? answer : { ...answer, accepted: false }
}

/** The host has it: changes and forgotten copy are deleted, the key is view-only unless it came from the copy. */
function applyAccepted (parts: SessionParts, document: OpenDocument, { built, succeeded }: Assembly, answer: CallbackResult): void {
  const { opened, watch } = document
  const cameFromCopy = isForgotten(parts, document)
  Object.assign(document, fresh())
  if (opened !== null) Object.assign(document, { source: opened.bytes, fileType: opened.fileType })
  for (const [id, { viewOnly }] of document.disconnected) {
    if (!viewOnly) document.disconnected.delete(id)
  }
  parts.forgotten.delete(document.key)
  if (cameFromCopy) {
    document.sentAt = null
    parts.documents.forget(document)
  }
  if (succeeded && built !== null) watch.accepted(built.edits, answer)
  else watch.refused(answer)
}

/** What was built becomes a forgotten file. Without a result the changes stay, and so does the key. */
function applyRefused (parts: SessionParts, document: OpenDocument, { built }: Assembly, answer: CallbackResult): void {
  const { key, watch } = document
  watch.refused(answer)
  if (built === null) {
    parts.log.error({ key, ...answer }, 'the document could not be put together: its changes are kept')
    return
  }
  keepForgotten(parts, document, built)
  Object.assign(document, { ...fresh(), source: built.bytes })
  parts.documents.forget(document)
  parts.log.error({ key, ...answer }, 'the host refused the save: the document is kept as a forgotten file')
}

export function keepForgotten ({ forgotten }: SessionParts, { key, fileType }: OpenDocument, { bytes }: Built): void {
  forgotten.set(key, { fileType, bytes })
}

function fresh () {
  return { changes: [], forceSave: null, editable: null, fromForgotten: false, saidOfSave: null }
}

function left (userid: string): Action[] {
  return [{ type: 0, userid }]
}
