import type { SavedEvent } from '../../types/events.js'
import type { FileInfo, StagedContent } from '../../types/storage.js'
import { FileNotFoundError, RevokedError } from '../errors.js'
import type { Settings } from '../options.js'
import type { Announcements } from './saved-events.js'
import type { Fetch } from './fetch.js'
import type { Locks } from '../sessions/locks.js'
import { CHANGED, type Publish } from './publish.js'
import type { SaveIdentity } from '../sessions/record.js'
import type { Seen } from '../sessions/record-store.js'
import type { SaveRequest } from './save-request.js'
import type { StagingStorage } from './staging.js'
import { outdated } from '../sessions/stored-saves.js'

interface Dependencies {
  readonly storage: StagingStorage
  readonly fetch: Fetch
  readonly locks: Locks
  readonly publish: Publish
  readonly announcements: Announcements
  readonly settings: Pick<Settings, 'onMissingFile'>
}

/** What became of a save: it is stored, or there is nothing to store. */
export type SaveOutcome = SavedEvent | 'repeated' | 'overtaken' | 'missing'

/**
 * Stores what the document server saved, streamed and all or nothing, if it is not outdated and the file still exists. What
 * becomes of it is decided when its content is there, at the moment of publishing. Resolves when the content is durable and
 * the host was told. Any rejection leaves the stored content as it was.
 */
export type Save = (request: SaveRequest) => Promise<SaveOutcome>

const MAX_DECISIONS = 100
const MAX_FETCHES = 3

export function createSave ({ storage, fetch, locks, publish, announcements, settings }: Dependencies): Save {
  return async function save (request) {
    for (let fetches = 1; ; fetches++) {
      const { seen, current } = await look(request.fileId)
      await announcements.makeUp(request.fileId, seen.record)
      const nothing = nothingToStore(request, seen, current)
      if (nothing !== undefined) return nothing

      const staged = await fetch({ ...request, extension: current!.extension }, async content => await storage.stage(request.fileId, content))
      try {
        return await decide(request, staged)
      } catch (error) {
        // Another instance took this one for dead, and its content away.
        if (!(error instanceof RevokedError) || fetches === MAX_FETCHES) throw error
      } finally {
        await storage.discard(staged)
      }
    }
  }

  async function look (fileId: string): Promise<{ readonly seen: Seen, readonly current: FileInfo | null }> {
    const seen = await locks.whenFree(fileId)
    return { seen, current: await storage.stat(fileId) }
  }

  function nothingToStore (request: SaveRequest, { record }: Seen, current: FileInfo | null): 'repeated' | 'overtaken' | 'missing' | undefined {
    const identity = identityOf(request)
    const reason = identity && outdated(record, identity)
    if (reason !== undefined || current !== null) return reason
    if (settings.onMissingFile === 'reject') throw new FileNotFoundError()
    return 'missing'
  }

  async function decide (request: SaveRequest, staged: StagedContent): Promise<SaveOutcome> {
    for (let decisions = 1; decisions <= MAX_DECISIONS; decisions++) {
      const { seen, current } = await look(request.fileId)
      const nothing = nothingToStore(request, seen, current)
      if (nothing !== undefined) return nothing
      const outcome = await publish({ request, identity: identityOf(request), staged, seen, current: current! })
      if (outcome !== CHANGED) return outcome
    }
    throw new Error('The document changes faster than it can be saved')
  }
}

function identityOf ({ key, status, url, lastsave }: SaveRequest): SaveIdentity | undefined {
  return key === undefined ? undefined : { key, status, path: url.pathname, ...(lastsave !== undefined && { lastsave }) }
}
