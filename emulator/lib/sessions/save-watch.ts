import type { CallbackResult } from '../../types/session.js'

/** Knows how far a document was saved, for those who wait for it. */
export interface SaveWatch {
  /** Something was edited. */
  edited (): void
  /** How many edits there were: what a save that is built now holds. */
  edits (): number
  accepted (edits: number, result: CallbackResult): void
  /** A finished save of all edits failed for good. */
  refused (result: CallbackResult): void
  /** What was not saved is gone. */
  lost (): void
  /** Resolves when all edits so far are in an accepted save; rejects when a finished save was refused, or all is lost. */
  saved (): Promise<CallbackResult>
}

interface Waiting {
  readonly edits: number
  readonly resolve: (result: CallbackResult) => void
  readonly reject: (error: Error) => void
}

export function saveWatch (): SaveWatch {
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
    edits: () => edits,
    accepted (saved, result) {
      failure = null
      if (last === null || saved >= last.edits) last = { edits: saved, result }
      for (const { resolve } of waiting.filter(one => one.edits <= saved)) resolve(result)
      waiting = waiting.filter(one => one.edits > saved)
    },
    refused (result) {
      const answer = result.httpStatus === null ? 'did not answer' : `answered HTTP ${result.httpStatus} ${JSON.stringify(result.answer)}`
      fail(new Error(`The host ${answer} to the callback with status ${result.status}`))
    },
    lost () {
      fail(new Error('The document server has lost what was not saved'))
    },
    async saved () {
      if (edits === 0) throw new TypeError('Nothing was edited, so nothing will be saved')
      if (last !== null && last.edits >= edits && last.result.accepted) return last.result
      if (failure !== null) throw failure
      return await new Promise((resolve, reject) => { waiting.push({ edits, resolve, reject }) })
    }
  }
}
