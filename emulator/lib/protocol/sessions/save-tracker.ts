import type { CallbackResult } from '../../../types/session.js'

/** Tracks which edits of a document are saved, for callers who wait for a save. */
export interface SaveTracker {
  edited (): void
  /** How many edits there were: a document assembled now contains as many. */
  editCount (): number
  /** A save that contains this many edits was accepted. */
  accepted (edits: number, result: CallbackResult): void
  /** A finished save failed permanently. */
  refused (result: CallbackResult): void
  /** Everything unsaved is gone. */
  lost (): void
  /**
   * Resolves when all edits so far are in an accepted save. Rejects when a finished save was refused, or the edits were
   * lost.
   */
  untilSaved (): Promise<CallbackResult>
}

interface Waiting {
  readonly edits: number
  readonly resolve: (result: CallbackResult) => void
  readonly reject: (error: Error) => void
}

export function saveTracker (): SaveTracker {
  let edits = 0
  let last: { readonly edits: number, readonly result: CallbackResult } | null = null
  let failure: Error | null = null
  let waiting: Waiting[] = []

  function fail (error: Error): void {
    failure = error
    for (const { reject } of waiting) reject(error)
    waiting = []
  }

  return {
    edited () {
      edits++
      failure = null
    },
    editCount: () => edits,
    accepted (saved, result) {
      failure = null
      if (last === null || saved >= last.edits) last = { edits: saved, result }
      for (const { resolve } of waiting.filter(one => one.edits <= saved)) resolve(result)
      waiting = waiting.filter(one => one.edits > saved)
    },
    refused (result) {
      const answer = result.httpStatus === null
        ? 'did not answer'
        : `answered HTTP ${result.httpStatus} ${JSON.stringify(result.answer)}`
      fail(new Error(`The application ${answer} to the callback with status ${result.status}`))
    },
    lost () {
      fail(new Error('The document server has lost the unsaved changes'))
    },
    async untilSaved () {
      if (edits === 0) throw new TypeError('Nothing was edited, so nothing will be saved')
      if (last !== null && last.edits >= edits && last.result.accepted) return last.result
      if (failure !== null) throw failure
      return await new Promise((resolve, reject) => { waiting.push({ edits, resolve, reject }) })
    }
  }
}
