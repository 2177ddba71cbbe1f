import { memoryStorage, type StagedContent, type Storage } from '../../lib/index.js'
import { deferred } from '../helpers/deferred.js'

/** The calls of a storage that a save makes. */
export const CALLS = ['stat', 'stage', 'replace', 'discard', 'state.get', 'state.set'] as const
export type Call = typeof CALLS[number]

export interface Hang {
  readonly call: Call
  /** Whether the call does its work and only never says so. */
  readonly isDone: boolean
}

export interface HangingStorage {
  readonly storage: Storage
  /** From now on this call never ends for the file. Resolves when there is one. */
  hang (fileId: string, hang: Hang): Promise<void>
  /** New calls end again, as ever. */
  heal (): void
  /** Releases the hanging calls. Resolves when they are done. */
  goOn (): Promise<void>
}

/** Documents in memory. Without staging, content is read by `replace`. */
export function hangingStorage ({ isStaging }: { readonly isStaging: boolean }): HangingStorage {
  const { stage, replace, state, ...others } = memoryStorage()
  let hanging: (Hang & { readonly fileId: string, readonly begun: () => void }) | undefined
  const gate = deferred()
  const late: Promise<unknown>[] = []

  async function through<Result> (call: Call, fileId: string, work: () => Promise<Result>): Promise<Result> {
    if (hanging?.call !== call || hanging.fileId !== fileId) return await work()
    const { isDone, begun } = hanging
    const done = isDone ? work() : gate.promise.then(work)
    late.push(done.catch(() => {}))
    await (isDone && done)
    begun()
    return await new Promise(() => {})
  }

  async function staged (fileId: string, content: AsyncIterable<Uint8Array>): Promise<StagedContent> {
    const kept = await stage(fileId, content)
    const { discard } = kept
    return Object.assign(kept, { discard: async () => await through('discard', fileId, discard) })
  }

  const storage: Storage = {
    ...others,
    ...(isStaging && { stage: async (fileId, content) => await through('stage', fileId, async () => await staged(fileId, content)) }),
    stat: async fileId => await through('stat', fileId, async () => await others.stat(fileId)),
    replace: async (fileId, content, options) => await through('replace', fileId, async () => await replace(fileId, content, options)),
    state: {
      get: async fileId => await through('state.get', fileId, async () => await state.get(fileId)),
      set: async (fileId, ...given) => await through('state.set', fileId, async () => await state.set(fileId, ...given))
    }
  }

  return {
    storage,
    async hang (fileId, hang) {
      await new Promise<void>(resolve => { hanging = { ...hang, fileId, begun: resolve } })
    },
    heal () {
      hanging = undefined
    },
    async goOn () {
      gate.resolve()
      await Promise.all(late)
    }
  }
}
