import type { FastifyBaseLogger } from 'fastify'
import type { SavedEvent } from '../types/events.js'
import type { StateStore } from '../types/storage.js'
import type { Commands } from './document-server/commands.js'
import type { DocumentKeys } from './document-server/document-key.js'
import type { TokenSigner } from './document-server/token.js'
import type { Settings } from './options.js'
import type { Outbound } from './outbound/outbound.js'
import type { HandlerUrls, PageTokens } from './security/signatures.js'
import type { TimedStorage } from './storage/timed-storage.js'
import type { Shutdown } from './util/shutdown.js'

/** Services that all rooms share. Made in `parts.ts`, once per registration of the plugin. */
export interface Services {
  readonly settings: Settings
  readonly storage: TimedStorage
  /** Stores the records: `storage.state`, or the memory of this process if the storage has none. */
  readonly state: StateStore
  readonly keys: DocumentKeys
  readonly commands: Commands
  readonly outbound: Outbound
  readonly tokens: TokenSigner
  readonly urls: HandlerUrls
  readonly pageTokens: PageTokens
  readonly hooks: {
    /** Never rejects. */
    call (name: 'onSaved', event: SavedEvent): Promise<void>
    /** Whether the caller is inside a hook that a callback of this file waits for. */
    isInHookOf (fileId: string): boolean
  }
  readonly log: FastifyBaseLogger
  readonly shutdown: Shutdown
}
