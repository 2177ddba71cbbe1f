import type { StagedContent } from '../../types/storage.js'
import { createCsvSaves } from '../csv/csv-saves.js'
import { FileNotFoundError, RevokedError } from '../errors.js'
import { createQueue } from '../queue.js'
import type { Look } from '../sessions/locks.js'
import type { SessionServices } from '../sessions/session-services.js'
import { whyObsolete } from '../sessions/stored-saves.js'
import { createTurns } from '../turns.js'
import { createFetch, createFetchChanges } from './fetch.js'
import { createReplaceNoted } from './noted-replace.js'
import { createPublisher, type Published } from './publish.js'
import { identityOf, type SaveRequest } from './save-request.js'

/** Where a save is stored, or why there is nothing to store. */
export type SaveOutcome = Published | NothingToStore
type NothingToStore = 'repeated' | 'superseded' | 'missing'

const MAX_FETCHES = 3

/** A save that has waited this long for its turn is fetched all the same. */
const MAX_WAIT_FOR_TURN_MS = 10_000

/** The saves of all files. */
export type Saves = ReturnType<typeof createSaves>

export function createSaves (services: SessionServices) {
  const { storage, locks, settings: { concurrentSaves, onMissingFile, versions } } = services
  const fetch = createFetch(services)
  const fetchChanges = versions && createFetchChanges(services, fetch)
  const { stageSaved, documentOptions } = createCsvSaves(services)
  const replaceNoted = createReplaceNoted(services)
  const { publish, deliverAgain } = createPublisher(services, replaceNoted)
  /**
   * Whether publishing fails if the record or the file is not the one that was looked at. A storage with `revoke` calls
   * `beforePublish`, in which the lock is acquired under that condition.
   */
  const isCheckedAtPublishing = storage.commit !== undefined || storage.revoke !== undefined
  const inTurn = createTurns({ concurrency: concurrentSaves, maxWait: MAX_WAIT_FOR_TURN_MS })
  /** Keeps the order in which the callbacks of a file arrive. By fileId. */
  const queue = createQueue()
  return { save, store, fetch, stageSaved, documentOptions, replaceNoted, queue }

  /**
   * Fetches and stores a save: all of it or nothing. Where it is stored is decided after it is fetched, immediately before it is
   * published. Resolves when the content is durable and the event was delivered. If it rejects, the stored content is unchanged, unless
   * the storage stores it after it has failed.
   */
  async function save (request: SaveRequest): Promise<SaveOutcome> {
    for (let fetches = 1; ; fetches++) {
      const look = await locks.lookWhenFree(request.fileId)
      const skipped = await nothingToStore(request, look)
      if (skipped !== undefined) return skipped

      const { extension } = look.current!
      const { staged, changes } = await inTurn(async () => ({
        staged: await stageSaved(look.current!, async stage => await fetch({ ...request, extension }, async content => await stage(content, request.filetype))),
        changes: fetchChanges ? await fetchChanges(request) : undefined
      }))
      try {
        return await store(request, staged, changes, isCheckedAtPublishing ? look : undefined)
      } catch (error) {
        // Another instance assumed that this one had died, and removed its staged content.
        if (!(error instanceof RevokedError) || fetches === MAX_FETCHES) throw error
      } finally {
        await storage.discard(staged)
        if (changes) await storage.discard(changes)
      }
    }
  }

  async function nothingToStore (request: SaveRequest, look: Look): Promise<NothingToStore | undefined> {
    const { snapshot: { record }, current } = look
    const identity = identityOf(request)
    const reason = identity && whyObsolete(record, identity)
    if (reason === 'repeated') await deliverAgain(request, look)
    if (reason !== undefined || current !== null) return reason
    if (onMissingFile === 'reject') throw new FileNotFoundError()
    return 'missing'
  }

  /**
   * Stores content that is staged already, as `save` does. Does not discard it. `latest`: a look to begin with, where publishing tells
   * whether anything has changed since.
   */
  async function store (request: SaveRequest, staged: StagedContent, changes?: StagedContent, latest?: Look): Promise<SaveOutcome> {
    return await locks.decide(request.fileId, 'a save was about to be published', async look => {
      const { snapshot, current } = look
      return await nothingToStore(request, look) ?? await publish({ request, staged, changes, snapshot, current: current!, isEarlyLook: look === latest })
    }, latest)
  }
}
