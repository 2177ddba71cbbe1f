import type { FastifyBaseLogger } from 'fastify'
import type { SavedEvent } from '../types/events.js'
import type { InspectEvent } from '../types/inspection.js'
import type { StagedContent, StateStore } from '../types/storage.js'
import type { Commands } from './document-server/commands.js'
import type { DocumentKeys } from './document-server/document-key.js'
import type { TokenSigner } from './document-server/token.js'
import type { Settings } from './options.js'
import type { Outbound } from './outbound/outbound.js'
import type { HandlerUrls, PageTokens } from './security/signatures.js'
import type { TimedStorage } from './storage/timed-storage.js'
import type { Limits } from './util/limits.js'
import type { Shutdown } from './util/shutdown.js'

/** What is said about content to inspect. */
export interface Inspected extends Omit<InspectEvent, 'signal'> {
  /** Format of the bytes. */
  readonly extension: string
  /** Ends the inspection early, which then rejects with its reason. */
  readonly signal?: AbortSignal
}

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
    /** Runs a hook within limits; `isInHookOf` knows. */
    run<Result>(fileId: string, hook: () => Promise<Result>, limits: Limits): Promise<Result>
    /** Whether the caller is inside a hook that a callback of this file waits for. */
    isInHookOf (fileId: string): boolean
  }
  /**
   * Passes staged content to `publish` once the application's hook `inspect` has accepted it, or its replacement, which
   * is discarded afterwards. Rejects with `RejectedError`, or with `InspectionFailedError` if it is unknown whether the
   * content may be stored. Call it without a lock, again for each content.
   */
  readonly inspected: <Result>(
    staged: StagedContent, about: Inspected, publish: (content: StagedContent) => Promise<Result>
  ) => Promise<Result>
  readonly log: FastifyBaseLogger
  readonly shutdown: Shutdown
}
