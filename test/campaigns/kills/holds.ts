import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import type { fileStorage } from '../../../lib/index.js'

/**
 * Where a save can be held, in order:
 * - `staged`: its content is on the disk, and nothing was decided;
 * - `decided`: it is about to be committed;
 * - `recorded`: its generation of the record was made, and not flushed;
 * - `publishing`: its content is about to take the place of the file, whose format is the same;
 * - `published`: it has;
 * - `naming`: its content, of another format, is about to get its name;
 * - `named`: it has, and the file of the old format is still there;
 * - `removing`: that file has been looked at, and is about to be removed;
 * - `removed`: it was;
 * - `stored`, `telling`: all is done but the hook and the answer.
 */
export const STEPS = [
  'staged', 'decided', 'recorded', 'publishing', 'published', 'naming', 'named', 'removing', 'removed', 'stored', 'telling'
] as const

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

/** The document that a call of the file system is made for. */
const committing = new AsyncLocalStorage<string>()

function held (storage: FileStorage, at: (step: Step, fileId: string) => Promise<void>): FileStorage {
  const calls = createRequire(import.meta.url)('node:fs/promises') as Calls
  const { rename, link, unlink } = calls
  const isDocument = (path: string) => basename(path).startsWith(`${committing.getStore()}.`)
  async function around (call: () => Promise<void>, before: Step | undefined, after: Step | undefined): Promise<void> {
    const fileId = committing.getStore()!
    if (before) await at(before, fileId)
    await call()
    if (after) await at(after, fileId)
  }
  calls.rename = async (from, to) => {
    const call = async () => await rename(from, to)
    if (isDocument(to)) return await around(call, 'publishing', 'published')
    await (isDocument(from) ? around(call, 'removing', 'removed') : call())
  }
  calls.link = async (from, to) => {
    const call = async () => await link(from, to)
    if (isDocument(to)) return await around(call, 'naming', 'named')
    await (committing.getStore() !== undefined && /^\d+$/.test(basename(to)) ? around(call, undefined, 'recorded') : call())
  }
  calls.unlink = async path => {
    const call = async () => await unlink(path)
    await (isDocument(path) ? around(call, 'removing', 'removed') : call())
  }
  syncBuiltinESMExports()

  return {
    ...storage,
    async stage (fileId, content) {
      const staged = await storage.stage(fileId, content)
      await at('staged', fileId)
      return staged
    },
    async commit (fileId, content, options) {
      await at('decided', fileId)
      const committed = await committing.run(fileId, async () => await storage.commit(fileId, content, options))
      await at('stored', fileId)
      return committed
    }
  }
}
