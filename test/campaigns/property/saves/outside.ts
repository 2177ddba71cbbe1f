import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EditorStorage } from '../../../../lib/index.js'
import type { Histories } from './history.js'
import type { OutsideChange, Side } from './situation.js'

export interface Outside {
  create (text: string): Promise<string>
  textOf (fileId: string): Promise<string | null>
  revisionOf (fileId: string): Promise<string | undefined>
  /** The versions that are kept, oldest first. */
  versionsOf (fileId: string): Promise<ReadonlyArray<{ readonly version: number, readonly text: string | null }>>
  change (fileId: string, change: OutsideChange, text: string, side: Side): Promise<void>
}

interface Dependencies {
  readonly storage: EditorStorage
  readonly directory: string | null
  readonly histories: Histories
  /** The plugin's storage, as the application uses it. */
  readonly ofApplication: (side: Side) => EditorStorage
}

export function outside ({ storage, directory, histories, ofApplication }: Dependencies): Outside {
  async function textOf (fileId: string): Promise<string | null> {
    const file = await storage.read(fileId)
    return file && Buffer.concat(await file.body.toArray()).toString()
  }

  async function put (fileId: string, text: string): Promise<void> {
    if (directory === null) {
      await storage.replace(fileId, Buffer.from(text))
      return
    }
    const path = join(directory, `${randomUUID()}.new`)
    await writeFile(path, text)
    await rename(path, join(directory, `${fileId}.txt`))
  }

  /** In memory, only the application itself can remove a file. */
  async function remove (fileId: string): Promise<void> {
    if (directory === null) await storage.remove!(fileId)
    else await rm(join(directory, `${fileId}.txt`), { force: true })
  }

  return {
    textOf,
    revisionOf: async fileId => (await storage.stat(fileId))?.revision,
    async versionsOf (fileId) {
      return await Promise.all((await storage.versions!.list(fileId)).map(async ({ version }) => {
        const kept = await storage.versions!.read(fileId, version)
        return { version, text: kept && Buffer.concat(await kept.body.toArray()).toString() }
      }))
    },
    async create (text) {
      const { fileId } = await storage.create('txt', Buffer.from(text))
      histories.created.clear()
      await histories.change(fileId, text, 'uploaded', async () => {})
      return fileId
    },
    async change (fileId, change, text, side) {
      const current = histories.of(fileId).at(-1)!.text
      // In memory nobody can create a file with the same id again.
      if (current === null && directory === null) return
      const noted = async (now: string | null, task: () => Promise<void>) => await histories.change(fileId, now, 'outside', task)
      switch (change) {
        case 'replaced by the application':
          histories.ofApplication.add(text)
          await ofApplication(side).replace(fileId, Buffer.from(text))
          return
        case 'removed': return await noted(null, async () => await remove(fileId))
        case 'removed by the application': return await noted(null, async () => { await storage.remove!(fileId) })
        case 'written again': return await noted(current ?? text, async () => await put(fileId, current ?? text))
        case 'removed and created again':
          if (directory !== null) await noted(null, async () => await remove(fileId))
          return await noted(text, async () => await put(fileId, text))
        default: return await noted(text, async () => await put(fileId, text))
      }
    }
  }
}
