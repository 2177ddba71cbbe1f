import { Readable } from 'node:stream'
import type { Content, FileInfo, ReplaceOptions, StagedContent, Storage } from '../../types/storage.js'
import { acceptContent } from '../content.js'
import { CHANGED, type Locks } from '../sessions/locks.js'
import { assertReplaceOptions } from '../storage/call-options.js'
import { spool } from '../storage/spool.js'
import type { ReplaceNoted } from './noted-replace.js'

const PURPOSE = 'the application was about to change it'

/**
 * The storage for the application's own use. One with `revoke` checks a revision and publishes in two steps: there, `replace` and
 * `remove` take the lock in the record, as the saves of all instances do. Otherwise a save that another instance has just checked
 * would take the place of what the application has stored, or bring back what it has removed. `replaceNoted` keeps no version.
 */
export function applicationStorage (storage: Storage, locks: Locks, replaceNoted: ReplaceNoted): Storage {
  if (!storage.revoke) return storage
  const excluding: Partial<Storage> = { replace, ...(storage.remove && { remove }) }
  return new Proxy(storage, {
    get (target, name) {
      const own = excluding[name as keyof Storage]
      if (own !== undefined) return own
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) as unknown : value
    }
  })

  async function replace (fileId: string, content: Content, options: ReplaceOptions = {}): Promise<FileInfo | null> {
    acceptContent(content)
    assertReplaceOptions(options)
    const { ifRevision, beforePublish, ...rest } = options
    if (beforePublish || await storage.stat(fileId) === null) return await storage.replace(fileId, content, options)
    const isStaged = isStagedContent(content)
    const staged = isStaged ? content : await (storage.stage ?? spool).call(storage, fileId, content instanceof Uint8Array ? Readable.from([content]) : content)
    try {
      return await locks.decide(fileId, PURPOSE, async ({ snapshot, current }) => {
        if (current === null || (ifRevision !== undefined && current.revision !== ifRevision)) return null
        return await replaceNoted(fileId, staged, snapshot, { ...rest, ifRevision: current.revision }) ?? CHANGED
      })
    } finally {
      if (!isStaged) await staged.discard().catch(() => {})
    }
  }

  async function remove (fileId: string): Promise<boolean> {
    return await locks.decide(fileId, PURPOSE, async ({ snapshot, current }) => {
      if (current === null) return await storage.remove!(fileId)
      const lock = locks.lockOf(fileId, snapshot)
      if (!await lock.acquire()) return CHANGED
      try {
        return await storage.remove!(fileId)
      } finally {
        await lock.abandon().catch(() => {}) // usually it was removed with the record
      }
    })
  }
}

function isStagedContent (content: Content | StagedContent): content is StagedContent {
  return 'discard' in content && typeof content.discard === 'function'
}
