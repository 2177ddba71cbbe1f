import type { FastifyBaseLogger } from 'fastify'
import type { Time } from '../clock/time.js'
import type { FaultRegistry } from '../faults/registry.js'
import type { OutboundClient } from '../outbound/client.js'
import type { ResultFiles } from '../result-files/files.js'
import type { Build } from '../../version.js'
import type { Documents } from './documents.js'
import type { OpenDocument } from './open-document.js'
import type { Tasks } from './tasks.js'
import type { CallbackResult } from '../../../types/session.js'

export interface ForgottenFile {
  readonly fileType: string
  readonly bytes: Uint8Array
  /** In milliseconds since the epoch. */
  readonly storedAt: number
}

/** The parts of the server that sessions use. */
export interface SessionParts {
  readonly client: OutboundClient
  readonly files: ResultFiles
  readonly time: Time
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

/** Whether the document was opened from a forgotten file that still exists. */
export function isFromForgottenFile ({ forgotten }: SessionParts, { fromForgottenFile, key }: OpenDocument): boolean {
  return fromForgottenFile && forgotten.has(key)
}

export function keepForgottenFile (
  { forgotten, time }: SessionParts,
  { key, fileType }: OpenDocument,
  bytes: Uint8Array
): void {
  forgotten.set(key, { fileType, bytes, storedAt: time.now() })
}
