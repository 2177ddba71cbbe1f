import type { FastifyBaseLogger } from 'fastify'
import type { Convert } from '../documents/converter/convert.js'
import type { Time } from './clock/time.js'
import type { FaultRegistry } from './faults/registry.js'
import type { OutboundClient } from './outbound/client.js'
import type { ResultFiles } from './result-files/files.js'
import type { Build } from '../version.js'
import type { Documents } from './sessions/documents.js'
import type { Tasks } from './sessions/tasks.js'
import type { Tokens } from './tokens/tokens.js'
import type { CallbackResult } from '../../types/session.js'

export interface ForgottenFile {
  readonly fileType: string
  readonly bytes: Uint8Array
  /** In milliseconds since the epoch. */
  readonly storedAt: number
}

/** The parts of the server that its services use. */
export interface Parts {
  readonly client: OutboundClient
  readonly files: ResultFiles
  readonly time: Time
  readonly tokens: Tokens
  readonly convert: Convert
  readonly faults: FaultRegistry
  readonly documents: Documents
  readonly tasks: Tasks
  readonly build: Build
  /** By document key. */
  readonly forgotten: Map<string, ForgottenFile>
  /** Callbacks that the fault `reorder` holds back, by document key. */
  readonly heldCallbacks: Map<string, () => Promise<CallbackResult>>
  readonly log: FastifyBaseLogger
  /** Aborted when the server closes: saves neither wait nor retry any longer. */
  readonly closing: AbortSignal
}
