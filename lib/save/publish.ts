import { createHash } from 'node:crypto'
import type { SavedEvent } from '../../types/events.js'
import type { FileInfo, StagedContent } from '../../types/storage.js'
import { NameTakenError } from '../errors.js'
import type { Settings } from '../options.js'
import { discard } from '../readable.js'
import { within } from '../within.js'
import type { Announcements } from './saved-events.js'
import type { DocumentKeys } from '../sessions/document-key.js'
import type { Locks } from '../sessions/locks.js'
import { type Publishing, type SaveIdentity, sessionOf, type StoredSave } from '../sessions/record.js'
import type { Records, Seen } from '../sessions/record-store.js'
import { saveIdOf, type SaveRequest } from './save-request.js'
import type { StagedReplaceOptions, StagingStorage } from './staging.js'
import { isConflict, isOpenedAnew, stored } from '../sessions/stored-saves.js'

interface Dependencies {
  readonly storage: StagingStorage
  readonly records: Records
  readonly locks: Locks
  readonly keys: DocumentKeys
  readonly announcements: Announcements
  readonly settings: Pick<Settings, 'onFormatChange' | 'onConflict' | 'timeouts'>
}

/** A save whose content is there, and what was seen of the file a moment ago. */
export interface Situation {
  readonly request: SaveRequest
  /** Absent where the save carries no key: nothing of it can be remembered. */
  readonly identity: SaveIdentity | undefined
  readonly staged: StagedContent
  readonly seen: Seen
  readonly current: FileInfo
}

type KnownSituation = Situation & { readonly identity: SaveIdentity }

/** Somebody else was faster: look again, and decide anew. */
export const CHANGED = Symbol('changed')

/** Decides where the content of a save belongs, publishes it there and tells the host. Nothing is published when something has changed. */
export type Publish = (situation: Situation) => Promise<SavedEvent | typeof CHANGED>

export function createPublish ({ storage, records, locks, keys, announcements, settings }: Dependencies): Publish {
  return async function publish (situation) {
    return isKnown(situation) ? await decide(situation) : await replaceUnnoted(situation)
  }

  async function decide (situation: KnownSituation): Promise<SavedEvent | typeof CHANGED> {
    const { request, identity: { key }, staged, seen: { record }, current } = situation
    const conflict = settings.onConflict === 'keep-both' && isConflict(record, keys, key, current)
    // It may be this very save that changed the file, and the record of it was lost.
    if ((conflict || request.notmodified) && await isSame(staged, current)) return await noteOnly(situation)
    if (conflict) return await storeBeside(situation, 'changed')
    try {
      return await storeInto(situation)
    } catch (error) {
      if (!(error instanceof NameTakenError)) throw error
      return await storeBeside(situation, 'format')
    }
  }

  async function storeInto ({ request, identity, staged, seen, current }: KnownSituation): Promise<SavedEvent | typeof CHANGED> {
    const { fileId } = request
    const published = await replaceLocked(fileId, staged, seen, { ...formatOf(request, current), ifRevision: current.revision }, (info, ticket) => {
      const untold = announcements.due(eventOf(request, info))
      return { save: storedSave(identity, info.revision), ...(untold && { untold }), ...(ticket !== undefined && { ticket }) }
    })
    if (published === null) return CHANGED
    const { info, id, isNoted } = published
    const event = eventOf(request, info)
    const save = storedSave(identity, info.revision)
    await locks.end(fileId, id, record => stored(record, save, { untold: announcements.due(event) })).catch(error => {
      // The record says already that this very content was stored, if it is what is there.
      if (!isNoted) throw error
    })
    await announcements.tell(fileId, event)
    return event
  }

  async function storeBeside ({ request, identity, staged, seen, current }: KnownSituation, reason: 'changed' | 'format'): Promise<SavedEvent | typeof CHANGED> {
    const { fileId } = request
    const id = await locks.take(fileId, seen)
    if (id === null) return CHANGED
    try {
      const extension = formatOf(request, current).extension ?? current.extension
      const beside = await replaceCopy({ request, identity, staged, seen, current }, extension) ?? await storage.create(extension, staged)
      const event = eventOf(request, beside, reason)
      await locks.end(fileId, id, record => stored(record, storedSave(identity), { beside, untold: announcements.due(event) }))
      await announcements.tell(fileId, event)
      return event
    } catch (error) {
      await locks.release(fileId, id).catch(() => {})
      throw error
    }
  }

  /** Replaces what the session has stored beside the file before, unless someone has changed that or is editing it as any other document. */
  async function replaceCopy ({ request, identity, staged, seen: { record } }: KnownSituation, extension: string): Promise<FileInfo | null> {
    const { conflictFileId, conflictRevision } = sessionOf(record, identity.key) ?? {}
    if (conflictFileId === undefined || conflictRevision === undefined || isOpenedAnew(record, identity.key, request.oldestChange)) return null
    const seen = await locks.whenFree(conflictFileId)
    if (seen.record.live.length > 0) return null
    const published = await replaceLocked(conflictFileId, staged, seen, { extension, ifRevision: conflictRevision })
    if (published === null) return null
    // By now the content is stored: that its lock could not be given back must not make that a refusal.
    await locks.release(conflictFileId, published.id).catch(() => {})
    return published.info
  }

  /**
   * Publishes if the record is still the one that was seen, while nobody else may. Resolves to `null` when something has
   * changed; else the lock is yet to be given back. `publishing` is noted where the storage can tell what it will be.
   */
  async function replaceLocked (fileId: string, staged: StagedContent, seen: Seen, options: StagedReplaceOptions, publishing?: (info: FileInfo, ticket?: string) => Publishing) {
    const lock = { id: '', isRefused: false, isNoted: false }
    try {
      const info = await storage.replace(fileId, staged, {
        ...options,
        async beforePublish (info, ticket) {
          lock.isNoted = info !== undefined
          const id = await locks.take(fileId, seen, info && publishing?.(info, ticket))
          lock.isRefused = id === null
          if (id === null) throw new Error('The record of the document was changed')
          lock.id = id
        }
      })
      if (info !== null) return { info, ...lock }
      await locks.release(fileId, lock.id)
    } catch (error) {
      if (lock.id !== '') await locks.abandon(fileId, lock.id).catch(() => {})
      if (!lock.isRefused) throw error
    }
    return null
  }

  /** The content is stored already, by this very save or to the same bytes. */
  async function noteOnly ({ request, identity, seen, current }: KnownSituation): Promise<SavedEvent | typeof CHANGED> {
    const event = eventOf(request, current)
    const record = stored(seen.record, storedSave(identity, current.revision), { untold: announcements.due(event) })
    if (!await records.set(request.fileId, record, seen)) return CHANGED
    await announcements.tell(request.fileId, event)
    return event
  }

  /** Of a save without a key nothing can be remembered. */
  async function replaceUnnoted ({ request, staged, current }: Situation): Promise<SavedEvent | typeof CHANGED> {
    const info = await storage.replace(request.fileId, staged, { ...formatOf(request, current), ifRevision: current.revision })
    if (info === null) return CHANGED
    const event = eventOf(request, info)
    await announcements.tell(request.fileId, event)
    return event
  }

  function formatOf ({ filetype }: SaveRequest, { extension }: FileInfo): { extension?: string } {
    return settings.onFormatChange === 'follow' && filetype !== undefined && filetype !== extension ? { extension: filetype } : {}
  }

  async function isSame (staged: StagedContent, { fileId, size, revision }: FileInfo): Promise<boolean> {
    if (staged.size !== size) return false
    const found = await storage.read(fileId)
    if (found === null) return false
    try {
      const [a, b] = await within(settings.timeouts.total, 'storage.read', async () => await Promise.all([sha256Of(staged), sha256Of(found.body)]))
      return found.info.revision === revision && a === b
    } finally {
      discard(found.body)
    }
  }
}

function isKnown (situation: Situation): situation is KnownSituation {
  return situation.identity !== undefined
}

function storedSave (identity: SaveIdentity, revision?: string): StoredSave {
  return { ...identity, at: Date.now(), ...(revision !== undefined && { revision }) }
}

function eventOf (request: SaveRequest, { fileId, extension, size, revision }: FileInfo, conflictReason?: 'changed' | 'format'): SavedEvent {
  const { key, status, users } = request
  return {
    id: saveIdOf({ ...request, url: request.url.href }),
    fileId: request.fileId,
    status,
    extension,
    size,
    revision,
    ...(key !== undefined && { key }),
    ...(users && { users }),
    ...(conflictReason && { conflict: true, conflictFileId: fileId, conflictReason })
  }
}

async function sha256Of (content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of content) hash.update(chunk)
  return hash.digest('hex')
}
