import type { CallbackResult } from './types.js'

/** Knows how far a document was saved, for those who wait for it. */
export interface SaveWatch {
  /** Something was edited. */
  edited (): void
  /** How many edits there were: what a save that is built now holds. */
  edits (): number
  accepted (edits: number, result: CallbackResult): void
  /** A finished save of all edits failed for good. */
  refused (result: CallbackResult): void
  /** Resolves when all edits so far are in an accepted save; rejects when a finished save was refused. */
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
  let waiting: Waiting[] = []

  return {
    edited () { edits++ },
    edits: () => edits,
    accepted (saved, result) {
      if (last === null || saved >= last.edits) last = { edits: saved, result }
      for (const { resolve } of waiting.filter(one => one.edits <= saved)) resolve(result)
      waiting = waiting.filter(one => one.edits > saved)
    },
    refused (result) {
      const answer = result.httpStatus === null ? 'did not answer' : `answered HTTP ${result.httpStatus} ${JSON.stringify(result.answer)}`
      for (const { reject } of waiting) reject(new Error(`The host ${answer} to the callback with status ${result.status}`))
      waiting = []
    },
    async saved () {
      if (edits === 0) throw new TypeError('Nothing was edited, so nothing will be saved')
      if (last !== null && last.edits >= edits && last.result.accepted) return last.result
      return await new Promise((resolve, reject) => { waiting.push({ edits, resolve, reject }) })
    }
  }
}
