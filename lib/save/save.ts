import type { StagedContent } from '../../types/storage.js'
import { BusyError, FileNotFoundError, RevokedError } from '../errors.js'
import type { Settings } from '../options.js'
import type { Locks, Look } from '../sessions/locks.js'
import { whyObsolete } from '../sessions/stored-saves.js'
import { createTurns } from '../turns.js'
import type { FetchChanges } from './changes.js'
import type { StageSaved } from './csv-saves.js'
import type { Fetch } from './fetch.js'
import type { Outbox } from './outbox.js'
import { CHANGED, type Publish, type Published } from './publish.js'
import { identityOf, type SaveRequest } from './save-request.js'
import type { StagingStorage } from './staging.js'

interface Dependencies {
  readonly storage: StagingStorage
  readonly fetch: Fetch
  readonly stageSaved: StageSaved
  /** Absent where no versions are kept. */
  readonly fetchChanges?: FetchChanges | undefined
  readonly locks: Locks
  readonly publish: Publish
  readonly outbox: Outbox
  readonly settings: Pick<Settings, 'concurrentSaves' | 'onMissingFile'>
}

/** Where a save is stored, or why there is nothing to store. */
export type SaveOutcome = Published | NothingToStore
type NothingToStore = 'repeated' | 'superseded' | 'missing'

/**
 * Fetches and stores a save: all of it or nothing. Where it is stored is decided after it is fetched, immediately before it is
 * published. Resolves when the content is durable and the event was delivered. If it rejects, the stored content is unchanged, unless
 * the storage stores it after it has failed.
 */
export type Save = (request: SaveRequest) => Promise<SaveOutcome>

/** Stores content that is staged already, as `Save` does. Does not discard it. */
export type Store = (request: SaveRequest, staged: StagedContent, changes?: StagedContent) => Promise<SaveOutcome>

const MAX_DECISIONS = 100
const MAX_FETCHES = 3

/** A save that has waited this long for its turn is fetched all the same. */
const MAX_WAIT_FOR_TURN_MS = 10_000

export function createSave ({ storage, fetch, stageSaved, fetchChanges, locks, publish, outbox, settings }: Dependencies): { readonly save: Save, readonly store: Store } {
  const inTurn = createTurns({ concurrency: settings.concurrentSaves, maxWait: MAX_WAIT_FOR_TURN_MS })
  return { save, store }

  async function save (request: SaveRequest): Promise<SaveOutcome> {
    for (let fetches = 1; ; fetches++) {
      const look = await locks.lookWhenFree(request.fileId)
      await outbox.deliverLeftovers(request.fileId, look.snapshot.record)
      const skipped = nothingToStore(request, look)
      if (skipped !== undefined) return skipped

      const { staged, changes } = await inTurn(async () => ({
        staged: await stageSaved(look.current!, async stage => await fetch({ ...request, extension: look.current!.extension }, async content => await stage(content, request.filetype))),
        changes: await fetchChanges?.(request)
      }))
      try {
        return await decide(request, staged, changes, isCheckedAtPublishing(request) ? look : undefined)
      } catch (error) {
        // Another instance assumed that this one had died, and removed its staged content.
        if (!(error instanceof RevokedError) || fetches === MAX_FETCHES) throw error
      } finally {
        await storage.discard(staged)
        if (changes) await storage.discard(changes)
      }
    }
  }

  /**
   * Whether publishing fails if the record or the file is not the one that was looked at. A storage with `revoke` calls
   * `beforePublish`, in which the lock is acquired under that condition. A save without a key acquires none.
   */
  function isCheckedAtPublishing (request: SaveRequest): boolean {
    return storage.commit !== undefined || (storage.revoke !== undefined && identityOf(request) !== undefined)
  }

  function nothingToStore (request: SaveRequest, { snapshot: { record }, current }: Look): NothingToStore | undefined {
    const identity = identityOf(request)
    const reason = identity && whyObsolete(record, identity)
    if (reason !== undefined || current !== null) return reason
    if (settings.onMissingFile === 'reject') throw new FileNotFoundError()
    return 'missing'
  }

  async function store (request: SaveRequest, staged: StagedContent, changes?: StagedContent): Promise<SaveOutcome> {
    return await decide(request, staged, changes)
  }

  /** `latest`: a look to begin with, where publishing tells whether anything has changed since. */
  async function decide (request: SaveRequest, staged: StagedContent, changes: StagedContent | undefined, latest?: Look): Promise<SaveOutcome> {
    for (let decisions = 1; decisions <= MAX_DECISIONS; decisions++) {
      const isEarlyLook = decisions === 1 && latest !== undefined
      const look = isEarlyLook ? latest : await locks.lookWhenFree(request.fileId)
      const { snapshot, current } = look
      const skipped = nothingToStore(request, look)
      if (skipped !== undefined) return skipped
      const outcome = await publish({ request, identity: identityOf(request), staged, changes, snapshot, current: current!, isEarlyLook })
      if (outcome !== CHANGED) return outcome
    }
    throw new BusyError(`it was changed ${MAX_DECISIONS} times while a save was about to be published`)
  }
}
