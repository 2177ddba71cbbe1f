import type { Editable, Operation } from '../../documents/types.js'
import type { Connection, Joined } from './joining.js'
import type { OpenDocument } from './open-document.js'
import type { Participant } from './participants.js'
import type { Sessions } from './sessions.js'
import type { CallbackResult, ForceSaveOptions, MailMerge } from '../../../types/session.js'

/** What one participant can do with a document. Saving and leaving wait for the edits made before. */
export interface Editor {
  readonly document: OpenDocument
  readonly participant: () => Participant
  readonly outdated: boolean
  editable (): Promise<Editable>
  content (): Promise<Uint8Array>
  apply (operation: Operation): Promise<Operation | null>
  replace (content: string | Uint8Array, fileType?: string): Promise<void>
  appendImage (bytes: Uint8Array): Promise<void>
  appendLines (lines: readonly string[]): Promise<void>
  forceSave (options?: ForceSaveOptions): Promise<CallbackResult>
  mailMerge (mail: MailMerge): Promise<CallbackResult[]>
  /** Leaving twice gives the same answer. */
  leave (): Promise<CallbackResult>
  disconnect (): Promise<void>
  reconnect (connection: Connection): Promise<void>
}

export function editorOf (sessions: Sessions, { document, participant: joined, outdated }: Joined): Editor {
  let participant = joined
  let edits: Promise<unknown> = Promise.resolve()
  let leaving: Promise<CallbackResult> | undefined
  let contentWhenLeft: Uint8Array | undefined

  function afterEdits<Result> (task: () => Promise<Result>): Promise<Result> {
    const next = edits.then(task)
    edits = next.catch(() => {})
    return next
  }

  return {
    document,
    participant: () => participant,
    outdated,
    editable: async () => await afterEdits(async () => document.editable()),
    content: async () => await afterEdits(async () => contentWhenLeft ?? document.bytes()),
    apply: async operation => await afterEdits(async () => await sessions.apply(document, participant, operation)),
    replace: async (content, fileType) =>
      await afterEdits(async () => await sessions.replace(document, participant, content, fileType)),
    appendLines: async lines => await afterEdits(async () => await sessions.appendLines(document, participant, lines)),
    appendImage: async bytes => await afterEdits(async () => await sessions.appendImage(document, participant, bytes)),
    async forceSave (options = {}) {
      await edits
      const { result } = await sessions.forceSave(document, { ...options, requester: participant })
      return await result
    },
    async mailMerge (mail) {
      await edits
      return await sessions.mailMerge(document, participant, mail)
    },
    leave () {
      leaving ??= edits.then(async () => {
        contentWhenLeft = document.bytes()
        return await sessions.leave(document, participant)
      })
      leaving.catch(() => { leaving = undefined })
      return leaving
    },
    async disconnect () {
      await edits
      await sessions.disconnect(document, participant)
    },
    async reconnect (connection) {
      const rejoined = await sessions.reopen(document.key, participant.connectionId, connection, document)
      participant = rejoined.participant
    }
  }
}
