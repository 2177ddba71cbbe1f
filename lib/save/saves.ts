import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { SavedEvent } from '../../types/events.js'
import type { StateStore } from '../../types/storage.js'
import type { Settings } from '../options.js'
import type { Outbound } from '../outbound/outbound.js'
import type { StagingStorage } from './staging.js'
import { createAnnouncements } from './saved-events.js'
import type { DocumentKeys } from '../sessions/document-key.js'
import { createFetch } from './fetch.js'
import { createLocks } from '../sessions/locks.js'
import { createQueue, type Place } from '../queue.js'
import { createPublish } from './publish.js'
import { fileRecords } from '../sessions/record-store.js'
import { createSave, type Save } from './save.js'
import { createSessions, type Sessions } from '../sessions/sessions.js'

interface Dependencies {
  readonly settings: Settings
  readonly storage: StagingStorage
  /** Where the storage has none of its own. */
  readonly state: StateStore
  readonly outbound: Outbound
  readonly keys: DocumentKeys
  /** Whether the document server still has something under a key; `undefined` when it does not say. */
  readonly isKnown: (key: string) => Promise<boolean | undefined>
  /** Tells the host, and never rejects. */
  readonly onSaved: ((event: SavedEvent) => Promise<void>) | undefined
  /** Aborted when even what can't be ended must be given up. */
  readonly over: AbortController
}

/** What stores saves and knows sessions. */
export interface Saving {
  readonly sessions: Sessions
  readonly save: Save
  /** Takes a place in the line of a file. Whoever takes one must leave it. */
  enter (fileId: string): Place
  /**
   * Waits for the saves under way, then ends those that take too long: the document server keeps what they would have stored.
   * Resolves at most half a second after `timeouts.close`.
   */
  stop (): Promise<void>
}

/** What ends well when its download is ended has so long to clean up. */
const GRACE_MS = 500

export function createSaving ({ settings, storage, state: ownState, outbound, keys, isKnown, onSaved, over }: Dependencies): Saving {
  const { timeouts } = settings
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal, over.signal) // every save that is under way listens
  const state = storage.state ?? ownState
  const records = fileRecords(state)
  const locks = createLocks({ records, state, storage, stopping: stopping.signal })
  const announcements = createAnnouncements({ records, state, onSaved, hostTime: timeouts.host })
  const publish = createPublish({ storage, records, locks, keys, announcements, settings })
  const fetch = createFetch({ outbound, settings, stopping: stopping.signal })
  const queue = createQueue()

  return {
    sessions: createSessions({ storage, records, locks, keys, isKnown, askAfter: timeouts.session }),
    save: createSave({ storage, fetch, locks, publish, announcements, settings }),
    enter: fileId => queue.enter(fileId),
    async stop () {
      for (const [controller, milliseconds] of [[stopping, timeouts.close], [over, GRACE_MS]] as const) {
        await Promise.race([queue.empty(), delay(milliseconds, undefined, { ref: false })])
        controller.abort(new Error('The service is closing'))
      }
    }
  }
}
