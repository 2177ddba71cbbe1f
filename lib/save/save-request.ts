import { hash, randomUUID } from 'node:crypto'
import type { CallbackHistory } from '../../types/events.js'
import type { StoredDocument } from '../../types/storage.js'
import type { StagedContent } from '../store/contract.js'
import { RejectedError, StorageTimeoutError } from '../errors.js'
import { savedPathOf } from '../outbound/result-urls.js'
import type { Services } from '../services.js'
import type { ForceSaveRelation } from '../sessions/force-save-notes.js'
import type { SaveIdentity, Session } from '../sessions/record.js'
import type { SaveDetails } from '../sessions/save-changes.js'
import { withTimeout } from '../util/limits.js'
import { discard } from '../util/streams.js'
import { digest, sha256Of } from '../util/text.js'

/** A save that the document server announced in a callback. */
export interface SaveRequest {
  readonly fileId: string
  readonly status: 2 | 6
  readonly url: URL
  /** Absent only if tokens are not required. */
  readonly key: string | undefined
  /** When the document was last changed, by the document server's clock. */
  readonly lastsave: string | undefined
  /** When the oldest saved change was made, by the document server's clock. */
  readonly oldestChange?: string | undefined
  /** Identifies that change; `undefined` if the callback lists none. */
  readonly firstChange?: string | undefined
  /** Announced format of the bytes at `url`. */
  readonly fileType: string | undefined
  /** Whether nothing was changed since the last accepted force save. */
  readonly notmodified: boolean
  readonly users?: readonly string[] | undefined
  /** The changes since the session began, and their authors. */
  readonly history?: CallbackHistory | undefined
  /** Returns the URL of the data of those changes at the document server. Throws if it may not be fetched. */
  readonly changesUrl?: (() => URL) | undefined
  /**
   * Present for a forgotten file: `lastsave` is when the file was written, and force saves of its session may have been
   * stored since. `session`: as noted before the file was fetched. `keysAtRest`: keys of sessions in which nobody is
   * editing.
   */
  readonly forgotten?: { readonly session: Session | undefined, readonly keysAtRest: ReadonlySet<string> }
  /** Whether the document server is still waiting for the answer, as far as is known. If absent, it is. */
  readonly isAwaited?: (() => boolean) | undefined
  /** Absent if no callback announced the save. */
  readonly relation?: ForceSaveRelation | undefined
}

interface Identified {
  readonly fileId: string
  readonly key?: string | undefined
  readonly status: number
  readonly url?: string | URL
  readonly lastsave?: string | undefined
}

/** The id of a save's events, which stays the same when the document server repeats the callback. */
export function saveIdOf ({ fileId, key, status, url = '', lastsave = '' }: Identified): string {
  return key === undefined ? randomUUID() : digest(fileId, key, String(status), savedPathOf(String(url)), lastsave)
}

/**
 * The `fileId` of a conflict copy, the same in every attempt, also if the document server hands the content over as a
 * forgotten file. `contentHash`: of the content as the document server sent it.
 */
export function copyIdOf (fileId: string, key: string, contentHash: string): string {
  return hash('sha256', JSON.stringify([fileId, key, contentHash]), 'hex').slice(0, 32)
}

/** Identifies the save. Its key is empty if the callback had none. */
export function identityOf ({ key = '', firstChange, ...save }: SaveRequest): SaveIdentity {
  return { ...refusedIdentityOf({ key, ...save }), ...(firstChange !== undefined && { firstChange }) }
}

/** Identifies a save that was refused or could not be made, from its callback. */
export function refusedIdentityOf (
  { key, status, url, lastsave }: Omit<Identified, 'fileId' | 'key'> & { readonly key: string }
): SaveIdentity {
  return {
    key,
    status: status === 6 || status === 7 ? 6 : 2,
    ...(url !== undefined && { path: savedPathOf(String(url)) }),
    ...(lastsave !== undefined && { lastsave })
  }
}

export function saveDetailsOf ({ relation, isAwaited }: SaveRequest): SaveDetails & { readonly isAwaited: boolean } {
  return { relation, isAwaited: isAwaited?.() ?? true }
}

/** The part of the error that a page shows. */
export function messageForUsers (error: Error | undefined): { readonly message?: string } {
  return error instanceof RejectedError ? { message: error.message } : {}
}

/** The SHA-256 of staged content. */
export async function hashOf ({ settings }: Services, staged: StagedContent): Promise<string> {
  return await withTimeout(async () => await sha256Of(staged), {
    milliseconds: settings.timeouts.total,
    timeoutError: ms => new StorageTimeoutError('read', ms)
  })
}

/** Whether a file, still in the given revision, has the same bytes as staged content. */
export async function isStored (
  { storage, settings }: Services, staged: StagedContent, { fileId, size, revision }: StoredDocument
): Promise<boolean> {
  if (staged.size !== size) return false
  const stored = await storage.read(fileId)
  if (stored === null) return false
  try {
    const hashes = async () => await Promise.all([sha256Of(staged), sha256Of(stored.body)])
    const [a, b] = await withTimeout(hashes, {
      milliseconds: settings.timeouts.total,
      timeoutError: ms => new StorageTimeoutError('read', ms)
    })
    return stored.info.revision === revision && a === b
  } finally {
    discard(stored.body)
  }
}
