import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { isAccepted, sendCallback } from './callbacks.js'
import type { TrustedConfig } from './config-token.js'
import { type Documents, editors, type OpenDocument, type Participant, userIds } from './documents.js'
import { download } from './download.js'
import type { Operation } from './editing/types.js'
import { builtBytes, editableOf, left, NOTHING_SENT, type SaveParts, sendSave } from './saving.js'
import type { CallbackResult } from './types.js'

export interface ForgottenFile {
  readonly fileType: string
  readonly bytes: Uint8Array
}

export interface Joined {
  readonly document: OpenDocument
  readonly participant: Participant
  /** The key was saved a short while ago: it is shown, but a new opening needs a new key. */
  readonly outdated: boolean
}

/** Who a force save is for: the editor's button, or the command service. */
export type ForceSaver =
  | { readonly by: 'button', readonly participant: Participant, readonly userdata?: string | undefined }
  | { readonly by: 'command', readonly userdata?: string | undefined }

const VIEW_ONLY_AFTER_SAVE_MS = 300_000
const CACHED_MS = 86_400_000

export interface SessionParts extends SaveParts {
  readonly documents: Documents
  readonly forgotten: Map<string, ForgottenFile>
  readonly log: FastifyBaseLogger
}

/** What editors do, scripted ones and those in a browser alike: join, edit, save, leave. */
export function sessions (parts: SessionParts) {
  const { documents, host, clock, forgotten, log } = parts

  function tell (document: OpenDocument, event: Parameters<Participant['notify']>[0], except?: Participant): void {
    for (const participant of document.participants.values()) {
      if (participant !== except) participant.notify(event)
    }
  }

  async function load (document: OpenDocument, config: TrustedConfig): Promise<void> {
    const copy = forgotten.get(document.key)
    if (document.participants.size > 1 && document.source !== null) return
    if (copy !== undefined) {
      Object.assign(document, { source: copy.bytes, fileType: copy.fileType, editable: null, fromForgotten: true })
    } else if (document.source === null || clock.now() - document.downloadedAt > CACHED_MS) {
      document.source = await download(host, clock, config.url)
      Object.assign(document, { fileType: config.fileType, editable: null, downloadedAt: clock.now() })
    }
  }

  function isOutdated (document: OpenDocument): boolean {
    if (document.savedAt === null) return false
    if (clock.now() - document.savedAt < VIEW_ONLY_AFTER_SAVE_MS) return true
    Object.assign(document, { savedAt: null, source: null, editable: null })
    return false
  }

  async function join (config: TrustedConfig, connection: Pick<Participant, 'baseUrl' | 'notify'>): Promise<Joined> {
    const document = documents.getOrCreate(config.key, config.fileType)
    return await documents.inTurn(config.key, async () => {
      const outdated = isOutdated(document)
      const userId = config.user.id ?? `uid-${randomUUID()}`
      const participant: Participant = {
        ...connection,
        connectionId: `${userId}${++document.joined}`,
        userId,
        userName: config.user.name,
        viewOnly: config.viewOnly || outdated,
        callbackUrl: config.callbackUrl
      }
      document.participants.set(participant.connectionId, participant)
      if (!participant.viewOnly) document.lastCallbackUrl = participant.callbackUrl
      if (!participant.viewOnly && participant.callbackUrl !== null) {
        const result = await sendCallback(host, participant.callbackUrl, {
          key: document.key,
          status: 1,
          users: userIds(editors(document)),
          actions: [{ type: 1, userid: userId }]
        })
        if (!isAccepted(result)) log.warn({ key: document.key, ...result }, 'the host refused a user')
      }
      try {
        await load(document, config)
      } catch (error) {
        await depart(document, participant)
        throw error
      }
      tell(document, { type: 'users' }, participant)
      return { document, participant, outdated }
    })
  }

  function changed (document: OpenDocument, user: Participant): void {
    document.changes.push({ user, at: clock.now() })
  }

  /** Applies an editor's operation; null when it changed nothing. */
  async function apply (document: OpenDocument, user: Participant, operation: Operation): Promise<Operation | null> {
    if (user.viewOnly || !document.participants.has(user.connectionId)) return null
    const done = (await editableOf(document)).apply(operation)
    if (done === null) return null
    changed(document, user)
    tell(document, { type: 'operation', operation: done, by: user.connectionId }, user)
    return done
  }

  async function replace (document: OpenDocument, user: Participant, content: string | Uint8Array, fileType = document.fileType): Promise<void> {
    if (user.viewOnly) throw new TypeError(`${user.userName} has the document open for viewing only`)
    if (!document.participants.has(user.connectionId)) throw new TypeError(`${user.userName} has closed the document`)
    if (typeof content === 'string') {
      if (!(await editableOf(document)).replaceText(content)) return
    } else {
      if (fileType === document.fileType && Buffer.compare(content, await builtBytes(document)) === 0) return
      Object.assign(document, { source: Uint8Array.from(content), editable: null, fileType })
    }
    changed(document, user)
    tell(document, { type: 'content' }, user)
  }

  async function forceSave (document: OpenDocument, saver: ForceSaver): Promise<CallbackResult> {
    return await documents.inTurn(document.key, async () => {
      const { changes } = document
      if (changes.length === document.forceSaved) return NOTHING_SENT
      const isButton = saver.by === 'button'
      const user = isButton ? saver.participant : changes.at(-1)!.user
      const saved = changes.length
      const result = await sendSave(parts, document, await builtBytes(document), user, {
        status: 6,
        actions: isButton ? [{ type: 2, userid: user.userId }] : undefined,
        userdata: saver.userdata,
        forcesavetype: isButton ? 1 : 0
      })
      const accepted = isAccepted(result)
      if (accepted) document.forceSaved = saved
      else log.warn({ key: document.key, ...result }, 'the host refused a force save')
      tell(document, { type: 'saved', accepted })
      return result
    })
  }

  async function leave (document: OpenDocument, participant: Participant): Promise<CallbackResult> {
    return await documents.inTurn(document.key, async () => await depart(document, participant))
  }

  async function depart (document: OpenDocument, participant: Participant): Promise<CallbackResult> {
    if (!document.participants.delete(participant.connectionId)) return NOTHING_SENT
    tell(document, { type: 'users' })
    if (participant.viewOnly) return NOTHING_SENT
    const { key, changes, fromForgotten } = document
    const remaining = userIds(editors(document))
    if (remaining.length === 0 && (changes.length > 0 || fromForgotten)) return await save(document, participant)
    if (participant.callbackUrl === null) return NOTHING_SENT
    return await sendCallback(host, participant.callbackUrl, remaining.length > 0
      ? { key, status: 1, users: remaining, actions: left(participant) }
      : { key, status: 4, actions: left(participant) })
  }

  async function save (document: OpenDocument, leaver: Participant): Promise<CallbackResult> {
    const { key, fileType, changes, fromForgotten } = document
    const bytes = await builtBytes(document)
    const result = await sendSave(parts, document, bytes, changes.at(-1)?.user ?? leaver, {
      status: 2,
      actions: left(leaver),
      notmodified: changes.length === 0 ? null : changes.length === document.forceSaved
    })
    if (isAccepted(result)) {
      forgotten.delete(key)
      document.savedAt = fromForgotten ? null : clock.now()
    } else {
      forgotten.set(key, { fileType, bytes })
      log.error({ key, ...result }, 'the host refused the save: the document is kept as a forgotten file')
    }
    Object.assign(document, { changes: [], forceSaved: 0, fromForgotten: false, editable: null })
    document.source = fromForgotten && isAccepted(result) ? null : bytes
    return result
  }

  return { documents, join, apply, replace, forceSave, leave }
}

export type Sessions = ReturnType<typeof sessions>
