import { AsyncLocalStorage } from 'node:async_hooks'
import { memoryStorage } from '../../lib/index.js'
import { createQueue } from '../../lib/util/queue.js'
import type { Storage } from '../../types/storage.js'
import { deferred } from './deferred.js'

/**
 * Called by the `commit` of whoever runs in its context when it has decided what to write, before it writes: a request
 * on its way.
 */
export const sending = new AsyncLocalStorage<() => Promise<void>>()

const CHANGED = new Error('The document or its record has changed')

/** A storage in memory that can store content, record and version in one write, as object stores do. */
export function oneWriteStorage (): Required<Pick<Storage, 'commit' | 'snapshot'>> & ReturnType<typeof memoryStorage> {
  const storage = memoryStorage()
  const { state, versions } = storage
  const queue = createQueue()
  /** One change at a time: what `commit` does is one change. */
  const alone = async <Result>(change: () => Promise<Result>): Promise<Result> => await queue.run('', change)

  return {
    ...storage,
    state: { ...state, set: async (...args) => await alone(async () => await state.set(...args)) },
    versions: {
      ...versions,
      keep: async (...args) => await alone(async () => await versions.keep(...args)),
      remove: async (...args) => await alone(async () => { await versions.remove(...args) })
    },
    // Without the queue: it waits for beforePublish, which may change the record.
    replace: async (...args) => await storage.replace(...args),
    remove: async fileId => await alone(async () => await storage.remove(fileId)),

    snapshot: async fileId => await alone(async () => ({ info: await storage.stat(fileId), record: await state.get(fileId) })),

    async commit (fileId, content, { extension, ifRevision, ifRecordVersion, record, keep }) {
      const isUnchanged = async () => (await storage.stat(fileId))?.revision === ifRevision && ((await state.get(fileId))?.version ?? null) === ifRecordVersion
      if (!await isUnchanged()) return null
      const done = deferred()
      let value: unknown
      try {
        const info = await storage.replace(fileId, content, {
          ...extension !== undefined && { extension },
          ifRevision,
          async beforePublish (info) {
            const options = keep?.(info, (await versions.list(fileId)).at(-1) ?? null)
            value = record(info)
            await sending.getStore()?.()
            await turn(done.promise)
            if (!await isUnchanged()) throw CHANGED
            if (options) await versions.keep(fileId, ifRevision, options)
          }
        })
        if (info === null) return null
        return { info, recordVersion: (await state.set(fileId, value, ifRecordVersion))! }
      } catch (error) {
        if (error === CHANGED) return null
        throw error
      } finally {
        done.resolve()
      }
    }
  }

  /** Resolves when no other change is under way; others wait until the promise is resolved. */
  async function turn (done: Promise<void>): Promise<void> {
    const begun = deferred()
    alone(async () => {
      begun.resolve()
      await done
    }).catch(() => {})
    await begun.promise
  }
}
