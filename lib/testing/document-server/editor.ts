import type { OpenDocument, Participant } from './documents.js'
import type { Editable, Operation } from './editing/types.js'
import { builtBytes, editableOf } from './saving.js'
import type { Joined, Sessions } from './sessions.js'
import type { CallbackResult } from './types.js'

/** One participant's hands on a document. Saving and leaving wait for the edits made before. */
export interface Editor {
  readonly document: OpenDocument
  readonly participant: Participant
  readonly outdated: boolean
  editable (): Promise<Editable>
  content (): Promise<Uint8Array>
  apply (operation: Operation): Promise<Operation | null>
  replace (content: string | Uint8Array, fileType?: string): Promise<void>
  forceSave (userdata?: string): Promise<CallbackResult>
  /** Leaving twice gives the same answer. */
  leave (): Promise<CallbackResult>
}

export function editorOf (sessions: Sessions, { document, participant, outdated }: Joined): Editor {
  let edits: Promise<unknown> = Promise.resolve()
  let leaving: Promise<CallbackResult> | undefined

  function afterEdits<Result> (task: () => Promise<Result>): Promise<Result> {
    const next = edits.then(task)
    edits = next.catch(() => {})
    return next
  }

  return {
    document,
    participant,
    outdated,
    editable: async () => await afterEdits(async () => await editableOf(document)),
    content: async () => await afterEdits(async () => await builtBytes(document)),
    apply: async operation => await afterEdits(async () => await sessions.apply(document, participant, operation)),
    replace: async (content, fileType) => await afterEdits(async () => await sessions.replace(document, participant, content, fileType)),
    async forceSave (userdata) {
      await edits
      return await sessions.forceSave(document, { by: 'button', participant, userdata })
    },
    leave () {
      leaving ??= edits.then(async () => await sessions.leave(document, participant))
      return leaving
    }
  }
}
