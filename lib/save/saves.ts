import type { FastifyBaseLogger } from 'fastify'
import type { SavedEvent } from '../../types/events.js'
import type { StateStore, Storage } from '../../types/storage.js'
import type { Settings } from '../options.js'
import type { Outbound } from '../outbound/outbound.js'
import { createQueue, type Queue } from '../queue.js'
import type { DocumentKeys } from '../sessions/document-key.js'
import type { Locks } from '../sessions/locks.js'
import type { RecordStore } from '../sessions/record-store.js'
import { createFetchChanges } from './changes.js'
import { createCsvSaves, type CsvSaves } from './csv-saves.js'
import { createFetch, type Fetch } from './fetch.js'
import { createReplaceNoted, type ReplaceNoted } from './noted-replace.js'
import { createOutbox, type Outbox } from './outbox.js'
import { createPublish } from './publish.js'
import { createSave, type Save, type Store } from './save.js'
import type { StagingStorage } from './staging.js'

/** The saves of all files. */
export interface Saves extends CsvSaves {
  readonly save: Save
  readonly store: Store
  readonly fetch: Fetch
  readonly replaceNoted: ReplaceNoted
  readonly outbox: Outbox
  /** Keeps the order in which the callbacks of a file arrive. By fileId. */
  readonly queue: Queue
}

interface Dependencies {
  readonly settings: Pick<Settings, 'concurrentSaves' | 'csv' | 'versions' | 'onSaved' | 'onConflict' | 'onFormatChange' | 'onMissingFile' | 'saveRetries' | 'timeouts' | 'clock'>
  readonly storage: StagingStorage
  readonly state: StateStore
  readonly recordStore: RecordStore
  readonly locks: Locks
  readonly keys: DocumentKeys
  readonly outbound: Outbound
  /** Never rejects. */
  readonly hooks: { call (name: 'onSaved', event: SavedEvent): Promise<void> }
  readonly spool: NonNullable<Storage['stage']>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  /** Ends all downloads. */
  readonly signal: AbortSignal
}

export function createSaves ({ settings, storage, state, recordStore, locks, keys, outbound, hooks, spool, log, signal }: Dependencies): Saves {
  const onSaved = settings.onSaved && (async (event: SavedEvent) => await hooks.call('onSaved', event))
  const outbox = createOutbox({ recordStore, state, onSaved, hookTimeout: settings.timeouts.hooks, clock: settings.clock })
  const replaceNoted = createReplaceNoted({ storage, locks, recordStore })
  const publish = createPublish({ storage, recordStore, locks, replaceNoted, keys, outbox, settings })
  const fetch = createFetch({ outbound, settings, signal })
  const csvSaves = createCsvSaves({ storage, settings, log })
  const fetchChanges = settings.versions && createFetchChanges({ fetch, stage: storage.commit ? storage.stage : spool, log })
  return {
    ...createSave({ storage, fetch, stageSaved: csvSaves.stageSaved, fetchChanges, locks, publish, outbox, settings }),
    ...csvSaves,
    fetch,
    replaceNoted,
    outbox,
    queue: createQueue()
  }
}
