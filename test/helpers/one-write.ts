import { memoryStorage } from '../../lib/index.js'
import { createQueue } from '../../lib/queue.js'
import type { Storage } from '../../types/storage.js'

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

    commit: async (fileId, content, { extension, ifRevision, ifRecordVersion, record, keep, prune }) => await alone(async () => {
      const isUnchanged = async () => (await storage.stat(fileId))?.revision === ifRevision && ((await state.get(fileId))?.version ?? null) === ifRecordVersion
      if (!await isUnchanged()) return null
      let value: unknown
      let superfluous: readonly number[] = []
      const info = await storage.replace(fileId, content, {
        ...extension !== undefined && { extension },
        ifRevision,
        async beforePublish (info) {
          const earlier = await versions.list(fileId)
          const options = keep?.(info, earlier)
          value = record(info)
          const kept = options && await versions.keep(fileId, ifRevision, options)
          try {
            superfluous = prune?.(await versions.list(fileId)) ?? []
          } catch (error) {
            if (kept) await versions.remove(fileId, [kept.version])
            throw error
          }
        }
      })
      if (info === null) return null
      await versions.remove(fileId, superfluous)
      return { info, recordVersion: (await state.set(fileId, value, ifRecordVersion))! }
    })
  }
}
