import { createRequire, syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import type { fileStorage } from '../../../lib/index.js'

/**
 * Where a save can be held, in order. `linked` and `named` are those of a new format: the file of the old one is still
 * there.
 */
export const STEPS = ['staged', 'decided', 'noted', 'renaming', 'linked', 'named', 'stored', 'telling'] as const

export type Step = typeof STEPS[number]
/** The step at which saves of a file are held, by fileId. */
export type Holds = Readonly<Record<string, Step>>
type FileStorage = ReturnType<typeof fileStorage>
type Calls = Record<'rename' | 'link', (from: string, to: string) => Promise<void>> & { unlink: (path: string) => Promise<void> }

/** Holds the first save of each file at its step until all are let go. `reached` is called when one is there. */
export function holding (steps: Holds, reached: () => void) {
  const waiting = new Map(Object.entries(steps))
  let letGo = () => {}
  const going = new Promise<void>(resolve => { letGo = resolve })

  async function at (step: Step, fileId: string): Promise<void> {
    if (waiting.get(fileId) !== step) return
    waiting.delete(fileId)
    reached()
    await going
  }

  return { at, letGo, storage: (storage: FileStorage) => held(storage, at) }
}

function held (storage: FileStorage, at: (step: Step, fileId: string) => Promise<void>): FileStorage {
  const calls = createRequire(import.meta.url)('node:fs/promises') as Calls
  const { rename, link, unlink } = calls
  const linked = new Map<string, string>()
  calls.rename = async (from, to) => {
    await at('renaming', fileIdOf(to))
    await rename(from, to)
  }
  calls.link = async (from, to) => {
    await link(from, to)
    linked.set(from, fileIdOf(to))
    await at('linked', fileIdOf(to))
  }
  calls.unlink = async path => {
    await unlink(path)
    await at('named', linked.get(path) ?? '')
  }
  syncBuiltinESMExports()

  return {
    ...storage,
    async stage (fileId, content) {
      const staged = await storage.stage(fileId, content)
      await at('staged', fileId)
      return staged
    },
    async replace (fileId, content, { beforePublish, ...options } = {}) {
      await at('decided', fileId)
      const info = await storage.replace(fileId, content, {
        ...options,
        async beforePublish (...given) {
          await beforePublish?.(...given)
          await at('noted', fileId)
        }
      })
      await at('stored', fileId)
      return info
    }
  }
}

function fileIdOf (path: string): string {
  return basename(path).split('.', 1)[0]!
}
