import { NOTHING_SENT } from '../outbound/callbacks.js'
import { assemble, lastChanger, lastChangeTime } from './assembly.js'
import { callbackUrlOf, postCallback, withRetries } from './callbacks.js'
import { userLeft } from './leaving.js'
import { type Assembly, isForceSaved, type OpenDocument, type Save } from './open-document.js'
import { isFromForgottenFile, keepForgottenFile } from './forgotten.js'
import type { Parts } from '../parts.js'
import { notifyAll } from './participants.js'
import type { CallbackResult } from '../../../types/session.js'

/**
 * Assembles the document and posts a 2, or a 3 if that fails, until there is a final answer. Does nothing once the save
 * is cancelled.
 */
export async function finishSave (parts: Parts, document: OpenDocument, save: Save): Promise<CallbackResult> {
  const isCancelled = () => document.save !== save
  if (isCancelled()) return NOTHING_SENT
  document.waitOver()
  if (callbackUrlOf(document, lastChanger(document) ?? save.leaver) === null) {
    // Nobody is asked, nothing is kept, and the next opening begins clean. Source: recorded.
    document.endSave()
    document.saveAccepted()
    document.saves.lost()
    return NOTHING_SENT
  }
  const assembly = await assemble(parts, document, save.folder)
  if (isCancelled()) return NOTHING_SENT

  const lastsave = lastChangeTime(document, parts.time.now())
  const answer = await withRetries(
    parts,
    async () => await post(parts, document, save, assembly, lastsave),
    isCancelled
  )
  if (isCancelled()) return answer
  document.endSave()
  if (answer.accepted) applyAccepted(parts, document, assembly, answer)
  else applyRefused(parts, document, assembly, answer)

  const saved = { type: 'saved', accepted: answer.accepted } as const
  for (const listener of document.departed) listener.notify(saved)
  notifyAll(document, saved)
  document.clearDeparted()
  return answer
}

/** Makes one attempt. Sends nothing without a callback URL or a user to name. */
async function post (
  parts: Parts,
  document: OpenDocument,
  { leaver }: Save,
  { assembled, succeeded }: Assembly,
  lastsave: string
): Promise<CallbackResult> {
  const { key } = document
  const changer = lastChanger(document)
  const saver = changer ?? leaver
  const user = saver.userId || leaver.userId
  if (user === '') return NOTHING_SENT
  let isRefused = true
  document.makeKeyViewOnly(parts.time.now())
  try {
    const answer = unlessRevoked(document, await postCallback(parts, callbackUrlOf(document, saver), {
      key,
      status: succeeded ? 2 : 3,
      users: [user],
      actions: userLeft(leaver.userId || user),
      lastsave,
      notmodified: changer === undefined ? null : isForceSaved(document),
      ...assembled?.fields(document.baseUrl)
    }))
    isRefused = !answer.accepted
    return answer
  } finally {
    if (isRefused) document.makeKeyEditable()
  }
}

/**
 * The command `saved` can revoke the application's acceptance. Source:
 * docs/document-server-protocol.md#asking-and-being-answered
 */
function unlessRevoked (document: OpenDocument, answer: CallbackResult): CallbackResult {
  return answer.accepted && document.takeRevocation() ? { ...answer, accepted: false } : answer
}

/**
 * Drops the changes and the forgotten file. The key becomes view-only, unless the document came from the forgotten
 * file.
 */
function applyAccepted (
  parts: Parts,
  document: OpenDocument,
  { assembled, succeeded }: Assembly,
  answer: CallbackResult
): void {
  const wasForgotten = isFromForgottenFile(parts, document)
  document.saveAccepted()
  parts.forgotten.delete(document.key)
  if (wasForgotten) {
    document.makeKeyEditable()
    parts.documents.remove(document)
  }
  if (succeeded && assembled !== null) document.saves.accepted(assembled.edits, answer)
  else document.saves.refused(answer)
}

/** Keeps the assembled document as a forgotten file. Without one the changes and the key stay. */
function applyRefused (parts: Parts, document: OpenDocument, { assembled }: Assembly, answer: CallbackResult): void {
  const { key, saves } = document
  saves.refused(answer)
  if (assembled === null) {
    parts.log.error({ key, ...answer }, 'the document could not be assembled; its changes are kept')
    return
  }
  keepForgottenFile(parts, document, assembled.bytes)
  document.saveRefused(assembled.bytes)
  parts.documents.remove(document)
  parts.log.error({ key, ...answer }, 'the application refused the save; the document is kept as a forgotten file')
}
