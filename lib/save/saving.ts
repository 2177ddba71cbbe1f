import { setTimeout as delay } from 'node:timers/promises'
import type { StateStore, Storage } from '../../types/storage.js'
import type { Settings } from '../options.js'
import type { Outbound } from '../outbound/outbound.js'
import type { DocumentKeys } from './document-key.js'
import { createFetch } from './fetch.js'
import { leases } from './lease.js'
import { saveQueue } from './queue.js'
import { fileRecords } from './records.js'
import { createSave, type Saves } from './save.js'
import { createSessions, type Sessions } from './sessions.js'

interface Dependencies {
  readonly settings: Settings
  readonly storage: Storage
  readonly state: StateStore
  readonly outbound: Outbound
  readonly keys: DocumentKeys
  /** Whether the document server still has something under a key; true when it does not say. */
  readonly isKnown: (key: string) => Promise<boolean>
}

/** What stores saves and knows sessions. */
export interface Saving {
  readonly sessions: Sessions
  readonly saves: Saves
  /** Waits for the saves under way, then ends those that take too long: the document server keeps what they would have stored. */
  stop (): Promise<void>
}

export function createSaving ({ settings, storage, state, outbound, keys, isKnown }: Dependencies): Saving {
  const { timeouts } = settings
  const stopping = new AbortController()
  const records = fileRecords(state)
  const queue = saveQueue()
  const revisionOf = async (fileId: string) => (await storage.stat(fileId))?.revision

  return {
    sessions: createSessions({ storage, records, keys, isKnown, askAfter: timeouts.session }),
    saves: createSave({
      storage,
      fetch: createFetch({ outbound, settings, stopping: stopping.signal }),
      queue,
      leases: leases({ records, state, revisionOf, patience: timeouts.total, stopping: stopping.signal }),
      keys,
      settings
    }),
    async stop () {
      await Promise.race([queue.empty(), delay(timeouts.close, undefined, { ref: false })])
      stopping.abort(new Error('The service is closing'))
      await queue.empty()
    }
  }
}
