import type { FileInfo, Storage } from '../../types/storage.js'
import type { Fetch, SavedFile } from './fetch.js'
import type { Lease, Leases } from './lease.js'
import type { SaveQueue } from './queue.js'

/** The file that holds what a session edited since the file it was opened from was changed by others: as it was stored last. */
export type ConflictCopy = Pick<FileInfo, 'fileId' | 'revision'>

/**
 * Stores what a session edited in its copy. In another file if it has none yet, or if that is no longer its own: someone
 * has changed it or is editing it as any other document.
 */
export type StoreCopy = (file: SavedFile, extension: string, known: ConflictCopy | undefined) => Promise<FileInfo>

interface Dependencies {
  readonly storage: Storage
  readonly fetch: Fetch
  readonly queue: SaveQueue
  readonly leases: Leases
}

export function conflictCopies ({ storage, fetch, queue, leases }: Dependencies): StoreCopy {
  return async function storeCopy (file, extension, known) {
    const replaced = known === undefined ? null : await replaceOwn(file, extension, known)
    return replaced ?? await fetch(file, async content => await storage.create(extension, content))
  }

  /**
   * Waits for those who save the copy as any other document while its own file's turn is kept. They never wait for that
   * file: whatever they store beside the copy is newer than both.
   */
  async function replaceOwn (file: SavedFile, extension: string, copy: ConflictCopy): Promise<FileInfo | null> {
    const { turn, leave } = queue.enter(copy.fileId)
    try {
      await turn
      if (!await isUnchanged(copy)) return null
      return await leases(copy.fileId, async lease => {
        if (!await isOwn(copy, lease)) return null
        const info = await replace(file, extension, copy, lease)
        // By now the content is stored: that its lease could not be ended must not make that a refusal.
        await lease.end(record => record).catch(() => {})
        return info
      })
    } finally {
      leave()
    }
  }

  async function replace (file: SavedFile, extension: string, copy: ConflictCopy, lease: Lease): Promise<FileInfo | null> {
    let isTaken = false
    try {
      return await fetch(file, async content => await storage.replace(copy.fileId, content, {
        extension,
        async beforePublish () {
          isTaken = !await isOwn(copy, lease)
          if (isTaken) throw new Error('Someone has begun to edit the conflict copy')
        }
      }))
    } catch (error) {
      if (isTaken) return null
      throw error
    }
  }

  async function isOwn (copy: ConflictCopy, lease: Lease): Promise<boolean> {
    const { live } = await lease.current()
    return live.length === 0 && await isUnchanged(copy)
  }

  async function isUnchanged ({ fileId, revision }: ConflictCopy): Promise<boolean> {
    return (await storage.stat(fileId))?.revision === revision
  }
}
