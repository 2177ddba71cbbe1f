import type { FastifyBaseLogger } from 'fastify'
import type { Time } from '../clock/time.js'
import type { FaultRegistry } from '../faults/registry.js'
import type { HostClient } from '../host/client.js'
import type { ResultFiles } from '../results/files.js'
import type { Documents } from './documents.js'
import type { CallbackResult } from '../../types/session.js'

export interface ForgottenFile {
  readonly fileType: string
  readonly bytes: Uint8Array
}

/** What sessions work with. */
export interface SessionParts {
  readonly host: HostClient
  readonly files: ResultFiles
  readonly time: Time
  readonly faults: FaultRegistry
  readonly documents: Documents
  readonly forgotten: Map<string, ForgottenFile>
  /** Callbacks that a fault holds back, by document key. */
  readonly held: Map<string, () => Promise<CallbackResult>>
  readonly log: FastifyBaseLogger
  /** Aborted when the server closes: no save is waited for or tried again any longer. */
  readonly closing: AbortSignal
}
