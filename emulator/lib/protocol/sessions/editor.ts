import type { Connection, PageEditor } from '../../editing.js'
import type { Joined } from './joining.js'
import type { OpenDocument } from './open-document.js'
import type { Participant } from './participants.js'
import type { Sessions } from './sessions.js'
import type { CallbackResult } from '../../../types/session.js'

/** What a page can do with a document, and what only a script can. Leaving twice gives the same answer. */
export interface Editor extends PageEditor {
  readonly document: OpenDocument
  readonly participant: () => Participant
  replace (content: string | Uint8Array, fileType?: string): Promise<void>
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
    editable: async () => await afterEdits(async () => await document.editable()),
    content: async () => await afterEdits(async () => contentWhenLeft ?? document.bytes()),
    apply: async operation => await afterEdits(async () => await sessions.apply(document, participant, operation)),
    replace: async (content, fileType) =>
      await afterEdits(async () => await sessions.replace(document, participant, content, fileType)),
    append: async content => await afterEdits(async () => await sessions.append(document, participant, content)),
    async forceSave (options = {}) {
      await edits
      const { result } = await sessions.forceSave(document, { ...options, requester: participant })
      return await result
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
