import type { FileInfo, Storage } from '../../types/storage.js'
import { FileNotFoundError } from '../errors.js'
import type { Settings } from '../options.js'
import { conflictCopies, type ConflictCopy } from './conflict-copy.js'
import type { DocumentKeys } from './document-key.js'
import { digesting } from './digest.js'
import type { Fetch, SavedFile } from './fetch.js'
import type { Lease, Leases } from './lease.js'
import type { SaveQueue } from './queue.js'
import { isConflict, isOpenedAnew, isOutdated, type LiveSession, type SaveIdentity, stored, type StoredSave } from './record.js'

export interface SaveDependencies {
  readonly storage: Storage
  readonly fetch: Fetch
  readonly queue: SaveQueue
  readonly leases: Leases
  readonly keys: DocumentKeys
  readonly settings: Pick<Settings, 'onMissingFile' | 'onFormatChange' | 'onConflict'>
}

export interface SaveRequest {
  readonly fileId: string
  readonly status: 2 | 6
  readonly url: URL
  /** Absent in a callback that carries none, which is refused where tokens are required. */
  readonly key: string | undefined
  /** When the document was changed last, when the document server says so. */
  readonly lastsave: string | undefined
  /** When the first of the changes that are saved was made, when the document server says so. */
  readonly oldestChange: string | undefined
  /** Format of the bytes at `url`, when the document server names one. */
  readonly filetype: string | undefined
  /** Nothing was changed since the last force save that was accepted. */
  readonly notmodified: boolean
}

/** A save of a file that is there. */
type KnownRequest = SaveRequest & SavedFile

export interface SaveOutcome {
  readonly info: FileInfo
  /** The stored file was changed by someone else: this is another one, with what was edited. */
  readonly isConflict: boolean
}

export interface SavePlace {
  /**
   * Stores what the document server saved: after the saves of this file that came before, if it is not outdated and the
   * file still exists, streamed and all or nothing. Resolves when the content is durable, to `null` when it is outdated or
   * there is no file. Any rejection leaves the stored content as it was. Leaves the place.
   */
  save (request: SaveRequest): Promise<SaveOutcome | null>
  leave (): void
}

export interface Saves {
  /** Takes a place among the saves of a file. Whoever takes one must leave it. */
  enter (fileId: string): SavePlace
}

export function createSave ({ storage, fetch, queue, leases, keys, settings }: SaveDependencies): Saves {
  const storeCopy = conflictCopies({ storage, fetch, queue, leases })

  return {
    enter (fileId) {
      const { turn, leave } = queue.enter(fileId)
      return {
        leave,
        save: request => turn.then(() => decide(request)).finally(leave)
      }
    }
  }

  async function decide (asked: SaveRequest): Promise<SaveOutcome | null> {
    const { fileId } = asked
    if (await storage.stat(fileId) === null) return missing()
    return await leases(fileId, async lease => {
      const identity = identityOf(asked)
      if (identity && isOutdated(lease.record, identity)) return null

      const current = await storage.stat(fileId)
      if (current === null) return missing()
      const request: KnownRequest = { ...asked, extension: current.extension }
      if (identity && isConflict(lease.record, keys, identity.key, current) && settings.onConflict === 'keep-both') {
        if (await isThere(request, identity, lease, current)) return { info: current, isConflict: false }
        return await storeBeside(request, identity, lease, current)
      }
      if (identity && request.notmodified && await isStored(request, identity, lease, current)) return { info: current, isConflict: false }
      return await storeInto(request, identity, lease, current)
    })
  }

  async function storeInto (request: KnownRequest, identity: SaveIdentity | undefined, lease: Lease, current: FileInfo): Promise<SaveOutcome | null> {
    const extension = extensionOf(request, current)
    let sha256: string | undefined
    let isNoted = false
    const info = await fetch(request, async content => {
      const bytes = digesting(content, request.status === 6)
      const replaced = await storage.replace(current.fileId, bytes.content, {
        ...(extension !== current.extension && { extension }),
        ...(identity && {
          async beforePublish ({ revision }) {
            await lease.publishing(storedSave(identity, revision, bytes.hex()))
            isNoted = true
          }
        })
      })
      sha256 = bytes.hex()
      return replaced
    })
    if (info === null) return missing()
    if (identity) {
      await lease.end(record => stored(record, storedSave(identity, info.revision, sha256))).catch(error => {
        // The record says already that this very content was stored, if it is what is there.
        if (!isNoted) throw error
      })
    }
    return { info, isConflict: false }
  }

  async function storeBeside (request: KnownRequest, identity: SaveIdentity, lease: Lease, current: FileInfo): Promise<SaveOutcome> {
    const session = lease.record.live.find(({ key }) => key === identity.key)
    const known = isOpenedAnew(lease.record, identity.key, request.oldestChange) ? undefined : copyOf(session)
    const info = await storeCopy(request, extensionOf(request, current), known)
    await lease.end(record => stored(record, storedSave(identity), info))
    return { info, isConflict: true }
  }

  /** A finished save whose bytes are those of the last force save ends its session and writes nothing. */
  async function isStored (request: KnownRequest, identity: SaveIdentity, lease: Lease, { revision }: FileInfo): Promise<boolean> {
    const last = lease.record.saves.find(({ key }) => key === identity.key)
    if (last?.sha256 === undefined || last.revision !== revision) return false
    if (await fetch(request, sha256Of) !== last.sha256) return false
    await lease.end(record => stored(record, storedSave(identity, revision)))
    return true
  }

  /** The file was changed by nobody else but this very save, or to the same bytes: the record of it could not be kept. */
  async function isThere (request: KnownRequest, identity: SaveIdentity, lease: Lease, { fileId, revision }: FileInfo): Promise<boolean> {
    if (lease.record.live.some(({ key, conflictFileId }) => key === identity.key && conflictFileId !== undefined)) return false
    const found = await storage.read(fileId)
    if (found === null) return false
    const sha256 = await sha256Of(found.body)
    if (found.info.revision !== revision || sha256 !== await fetch(request, sha256Of)) return false
    await lease.end(record => stored(record, storedSave(identity, revision, sha256)))
    return true
  }

  function extensionOf ({ filetype }: SaveRequest, { extension }: FileInfo): string {
    return settings.onFormatChange === 'follow' && filetype !== undefined ? filetype : extension
  }

  function missing (): null {
    if (settings.onMissingFile === 'reject') throw new FileNotFoundError()
    return null
  }
}

function identityOf ({ key, status, url, lastsave }: SaveRequest): SaveIdentity | undefined {
  return key === undefined ? undefined : { key, status, path: url.pathname, ...(lastsave !== undefined && { lastsave }) }
}

function copyOf ({ conflictFileId, conflictRevision }: Partial<LiveSession> = {}): ConflictCopy | undefined {
  return conflictFileId === undefined || conflictRevision === undefined ? undefined : { fileId: conflictFileId, revision: conflictRevision }
}

function storedSave (identity: SaveIdentity, revision?: string, sha256?: string): StoredSave {
  return { ...identity, at: Date.now(), ...(revision !== undefined && { revision }), ...(sha256 !== undefined && { sha256 }) }
}

async function sha256Of (content: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const bytes = digesting(content, true)
  const chunks = bytes.content[Symbol.asyncIterator]()
  while ((await chunks.next()).done !== true);
  return bytes.hex()
}
