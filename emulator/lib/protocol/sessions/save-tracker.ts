import type { CallbackResult } from '../../../types/session.js'

/** Tracks which edits of a document are saved, for callers who wait for a save. */
export function saveTracker () {
  let edits = 0
  let last: { readonly edits: number, readonly result: CallbackResult } | null = null
  let failure: Error | null = null
  let waiting: Array<{ edits: number, resolve: (result: CallbackResult) => void, reject: (error: Error) => void }> = []

  function fail (error: Error): void {
    failure = error
    for (const { reject } of waiting) reject(error)
    waiting = []
  }

  return {
    edited (): void {
      edits++
      failure = null
    },
    /** How many edits there were: a document assembled now contains as many. */
    editCount: () => edits,
    /** A save that contains this many edits was accepted. */
    accepted (saved: number, result: CallbackResult): void {
      failure = null
      if (last === null || saved >= last.edits) last = { edits: saved, result }
      for (const { resolve } of waiting.filter(one => one.edits <= saved)) resolve(result)
      waiting = waiting.filter(one => one.edits > saved)
    },
    /** A finished save failed permanently. */
    refused (result: CallbackResult): void {
      const answer = result.httpStatus === null
        ? 'did not answer'
        : `answered HTTP ${result.httpStatus} ${JSON.stringify(result.answer)}`
      fail(new Error(`The application ${answer} to the callback with status ${result.status}`))
    },
    /** Everything unsaved is gone. */
    lost (): void {
      fail(new Error('The document server has lost the unsaved changes'))
    },
    /**
     * Resolves when all edits so far are in an accepted save. Rejects when a finished save was refused, or the edits
     * were lost.
     */
    async untilSaved (): Promise<CallbackResult> {
      if (edits === 0) throw new TypeError('Nothing was edited, so nothing will be saved')
      if (last !== null && last.edits >= edits && last.result.accepted) return last.result
      if (failure !== null) throw failure
      return await new Promise((resolve, reject) => { waiting.push({ edits, resolve, reject }) })
    }
  }
}
