import type { Operation } from '../documents/types.js'
import { NOTHING_SENT } from '../host/callbacks.js'
import { CrashedError } from '../host/client.js'
import type { TrustedConfig } from '../tokens/config-token.js'
import { aside } from './aside.js'
import { currentBytes, editableOf } from './content.js'
import { type OpenDocument, type Participant, type Save, tell } from './documents.js'
import { type ForceSaver, startForceSave, type StartedForceSave } from './force-saving.js'
import { type Connection, join, type Joined, rejoin, show } from './joining.js'
import { finish, leave, vanish } from './leaving.js'
import { sendMailMerge } from './mail-merge.js'
import type { SessionParts } from './parts.js'
import type { CallbackResult, MailMerge } from '../../types/session.js'

/** A cut connection delays the save. Source: docs/document-server-protocol.md#opening-a-key-again */
const WAIT_FOR_RECONNECT_MS = 5000

/** What editors do, scripted ones and those in a browser alike: join, edit, save, leave, lose the connection, come back. */
export function sessions (parts: SessionParts) {
  const { documents, time, log } = parts

  /** One after the other for a document, and a fake clock waits for it. */
  async function inTurn<Result> (key: string, task: () => Promise<Result>): Promise<Result> {
    return await documents.inTurn(key, async () => {
      if (parts.host.life().aborted) throw new CrashedError()
      return await time.during(task)
    })
  }

  /** Rejects with a `DocumentServerError`. */
  async function open (config: TrustedConfig, connection: Connection): Promise<Joined> {
    const joined = await inTurn(config.key, async () => await join(parts, documents.getOrCreate(config.key, config.fileType), config, connection))
    try {
      await show(parts, joined, config)
      return joined
    } catch (failure) {
      await leaveNow(joined)
      throw failure
    }
  }

  async function leaveNow ({ document, participant }: Pick<Joined, 'document' | 'participant'>): Promise<CallbackResult> {
    const left = await inTurn(document.key, async () => await leave(parts, document, participant))
    if (left === null) return NOTHING_SENT
    return 'answered' in left ? await left.answered : await saved(document, left)
  }

  /** Whoever leaves waits for the save, but nobody else does. */
  async function saved (document: OpenDocument, save: Save): Promise<CallbackResult> {
    await document.forceSave?.announced
    return await aside(parts, async () => await finish(parts, document, save))
  }

  /** Comes back after `disconnect`. */
  async function reopen (key: string, connectionId: string, connection: Connection): Promise<Joined> {
    return await inTurn(key, async () => await rejoin(parts, documents.get(key), connectionId, connection))
  }

  function changed (document: OpenDocument, user: Participant): void {
    document.changes.push({ user, at: time.now() })
    document.watch.edited()
    tell(document, { type: 'changed', userId: user.userId }, user)
  }

  /** Applies an editor's operation; null when it changed nothing. */
  async function apply (document: OpenDocument, user: Participant, operation: Operation): Promise<Operation | null> {
    if (user.viewOnly || !isIn(document, user)) return null
    const done = editableOf(document).apply(operation)
    if (done === null) return null
    changed(document, user)
    // To whoever did it, too: only by this order an editor knows what the others' operations are based on.
    tell(document, { type: 'operation', operation: done, by: user.connectionId })
    return done
  }

  async function replace (document: OpenDocument, user: Participant, content: string | Uint8Array, fileType = document.fileType): Promise<void> {
    if (user.viewOnly) throw new TypeError(`${user.userName} has the document open for viewing only`)
    requireIn(document, user)
    if (typeof content === 'string') {
      if (!editableOf(document).replaceText(content)) return
    } else {
      if (fileType === document.fileType && Buffer.compare(content, currentBytes(document)) === 0) return
      Object.assign(document, { source: Uint8Array.from(content), editable: null, fileType })
    }
    changed(document, user)
    tell(document, { type: 'content' }, user)
  }

  async function disconnect (document: OpenDocument, participant: Participant): Promise<void> {
    if (!isIn(document, participant)) return
    const left = await inTurn(document.key, async () => await vanish(parts, document, participant))
    if (left === null) return
    if ('answered' in left) await left.answered
    else saveLater(document, left)
  }

  /** Saves unless somebody has come back by then. */
  function saveLater (document: OpenDocument, save: Save): void {
    const signal = AbortSignal.any([save.soon.signal, parts.closing, parts.host.life()])
    const saving = time.wait(save.waits ? WAIT_FOR_RECONNECT_MS : 0, signal).then(async () => await saved(document, save))
    documents.aside(saving).catch(error => log.error({ err: error, key: document.key }, 'a document could not be saved'))
  }

  return {
    documents,
    open,
    reopen,
    apply,
    replace,
    disconnect,
    saveLater,
    async leave (document: OpenDocument, participant: Participant): Promise<CallbackResult> {
      if (!isIn(document, participant)) return NOTHING_SENT
      return await leaveNow({ document, participant })
    },
    async forceSave (document: OpenDocument, saver: ForceSaver): Promise<StartedForceSave> {
      if (parts.host.life().aborted) throw new CrashedError()
      if (saver.presser !== undefined) requireIn(document, saver.presser)
      return await startForceSave(parts, document, saver)
    },
    async mailMerge (document: OpenDocument, sender: Participant, mail: MailMerge): Promise<CallbackResult[]> {
      return await inTurn(document.key, async () => {
        requireIn(document, sender)
        return await sendMailMerge(parts, document, sender, mail)
      })
    }
  }
}

function isIn ({ participants }: OpenDocument, { connectionId }: Participant): boolean {
  return participants.has(connectionId)
}

function requireIn (document: OpenDocument, user: Participant): void {
  if (!isIn(document, user)) throw new TypeError(`${user.userName} is not in the document any longer`)
}

export type Sessions = ReturnType<typeof sessions>
