import type { Operation } from '../../documents/types.js'
import type { Connection } from '../../editing.js'
import { NOTHING_SENT } from '../outbound/callbacks.js'
import { CrashedError } from '../outbound/client.js'
import type { TrustedConfig } from '../tokens/config-token.js'
import { type ForceSaveRequest, startForceSave, type StartedForceSave } from './force-saving.js'
import { join, type Joined, loadFor, rejoin } from './joining.js'
import * as leaving from './leaving.js'
import type { OpenDocument, Save } from './open-document.js'
import type { Parts } from '../parts.js'
import { notifyAll, type Participant } from './participants.js'
import { finishSave } from './saving.js'
import type { CallbackResult } from '../../../types/session.js'

/** How long a save waits for a lost connection. Source: docs/document-server-protocol.md#opening-a-key-again */
const WAIT_FOR_RECONNECT_MS = 5000

/**
 * What editors do, scripted ones and those in a browser alike: join, edit, save, leave, lose the connection, come back.
 */
export function sessions (parts: Parts) {
  const { documents, tasks, time, log } = parts

  /** Rejects with a `DocumentServerError`. */
  async function open (config: TrustedConfig, connection: Connection): Promise<Joined> {
    const joined = await tasks.inTurn(
      config.key,
      async () => await join(parts, documents.getOrCreate(config.key, config.fileType), config, connection)
    )
    try {
      await loadFor(parts, joined, config)
      return joined
    } catch (failure) {
      await leaveNow(joined)
      throw failure
    }
  }

  async function leaveNow (
    { document, participant }: Pick<Joined, 'document' | 'participant'>
  ): Promise<CallbackResult> {
    document.close(participant)
    const next = await tasks.inTurn(document.key, async () => await leaving.leave(parts, document, participant))
    if (next === null) return NOTHING_SENT
    return 'answer' in next ? await next.answer : await saveNow(document, next)
  }

  /** Runs beside the document's turns: only the participant who leaves waits for the save. */
  async function saveNow (document: OpenDocument, save: Save): Promise<CallbackResult> {
    await document.forceSave?.mayPost
    return await tasks.alongside(async () => await finishSave(parts, document, save))
  }

  /**
   * Comes back after `disconnect`. `left`: what it was connected to. When the key was opened anew, another editor may
   * have the same connection id.
   */
  async function reopen (
    key: string,
    connectionId: string,
    connection: Connection,
    left = documents.get(key)
  ): Promise<Joined> {
    return await tasks.inTurn(
      key,
      async () => await rejoin(parts, documents.get(key) === left ? left : undefined, connectionId, connection)
    )
  }

  function recordChange (document: OpenDocument, user: Participant, made: object): void {
    document.recordChange({ user, at: time.now(), made })
    notifyAll(document, { type: 'changed', userId: user.userId }, user)
  }

  /** Applies an editor's operation. Resolves to `null` when it changed nothing. */
  async function apply (document: OpenDocument, user: Participant, operation: Operation): Promise<Operation | null> {
    if (user.viewOnly) return null
    const editable = await document.editable()
    if (!isPresent(document, user)) return null
    const done = editable.apply(operation)
    if (done !== null) changedBy(document, user, done)
    return done
  }

  /** Its author is notified too: only this order tells an editor what the others' operations are based on. */
  function changedBy (document: OpenDocument, user: Participant, operation: Operation): void {
    recordChange(document, user, operation)
    notifyAll(document, { type: 'operation', operation, by: user.connectionId })
  }

  async function replace (
    document: OpenDocument,
    user: Participant,
    content: string | Uint8Array,
    fileType = document.fileType
  ): Promise<void> {
    if (user.viewOnly) throw new TypeError(`${user.userName} has opened the document for viewing only`)
    requirePresent(document, user)
    if (typeof content === 'string') {
      const done = (await document.editable()).replaceText(content)
      if (done === false) return
      if (done !== true) return changedBy(document, user, done)
    } else {
      if (fileType === document.fileType && Buffer.compare(content, document.bytes()) === 0) return
      document.replaceContent(Uint8Array.from(content), fileType)
    }
    recordChange(
      document,
      user,
      typeof content === 'string' ? { op: 'replace', text: content } : { op: 'file', fileType, size: content.length }
    )
    notifyAll(document, { type: 'content' }, user)
  }

  /** Inserts a picture, or lines of text, at the end. */
  async function append (
    document: OpenDocument, user: Participant, content: Uint8Array | readonly string[]
  ): Promise<void> {
    const { appendImage, appendLines } = await document.editable()
    const isImage = content instanceof Uint8Array
    if (user.viewOnly || !isPresent(document, user) || (isImage ? appendImage : appendLines) === undefined) {
      throw new TypeError(`${isImage ? 'An image' : 'A text'} cannot be inserted here`)
    }
    const done = isImage ? appendImage!(content) : appendLines!(content)
    if (done !== null) changedBy(document, user, done)
  }

  async function disconnect (document: OpenDocument, participant: Participant): Promise<void> {
    if (!isPresent(document, participant)) return
    const next = await tasks.inTurn(document.key, async () => await leaving.disconnect(parts, document, participant))
    if (next === null) return
    if ('answer' in next) await next.answer
    else saveLater(document, next)
  }

  /** Saves after the wait for lost connections, unless an editor has come back by then. */
  function saveLater (document: OpenDocument, save: Save): void {
    const signal = AbortSignal.any([save.waitEnded, parts.closing, parts.client.crashSignal()])
    const saving = time.wait(save.isWaiting ? WAIT_FOR_RECONNECT_MS : 0, signal).then(async () =>
      await saveNow(document, save)
    )
    tasks.track(saving).catch(error => log.error({ err: error, key: document.key }, 'a document could not be saved'))
  }

  return {
    documents,
    open,
    reopen,
    apply,
    replace,
    append,
    disconnect,
    saveLater,
    async leave (document: OpenDocument, participant: Participant): Promise<CallbackResult> {
      if (!isPresent(document, participant)) return NOTHING_SENT
      return await leaveNow({ document, participant })
    },
    async forceSave (document: OpenDocument, request: ForceSaveRequest): Promise<StartedForceSave> {
      if (parts.client.crashSignal().aborted) throw new CrashedError()
      if (request.requester !== undefined) requirePresent(document, request.requester)
      return await startForceSave(parts, document, request)
    }
  }
}

function isPresent ({ participants }: OpenDocument, { connectionId }: Participant): boolean {
  return participants.has(connectionId)
}

function requirePresent (document: OpenDocument, user: Participant): void {
  if (!isPresent(document, user)) throw new TypeError(`${user.userName} no longer has the document open`)
}

export type Sessions = ReturnType<typeof sessions>
