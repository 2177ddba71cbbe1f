import type { FastifyBaseLogger } from 'fastify'
import type { SavedEvent } from '../types/events.js'
import type { StateStore } from '../types/storage.js'
import type { Commands } from './document-server/commands.js'
import type { DocumentKeys } from './document-server/document-key.js'
import type { Settings } from './options.js'
import type { Outbound } from './outbound/outbound.js'
import type { TimedStorage } from './storage/timed-storage.js'
import type { Shutdown } from './util/shutdown.js'

/**
 * Shared services for everything that works on saves and sessions. Made in `parts.ts`, once per registration of the
 * plugin.
 */
export interface Services {
  readonly settings: Settings
  readonly storage: TimedStorage
  /** Stores the records: `storage.state`, or the memory of this process if the storage has none. */
  readonly state: StateStore
  readonly keys: DocumentKeys
  readonly commands: Commands
  readonly outbound: Outbound
  readonly hooks: {
    /** Never rejects. */
    call (name: 'onSaved', event: SavedEvent): Promise<void>
    /** Whether the caller is inside a hook that a callback of this file waits for. */
    isInHookOf (fileId: string): boolean
  }
  readonly log: FastifyBaseLogger
  readonly shutdown: Shutdown
}
