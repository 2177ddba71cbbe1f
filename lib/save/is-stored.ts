import type { FileInfo, StagedContent } from '../../types/storage.js'
import { sha256Of } from '../digest.js'
import { StorageTimeoutError } from '../errors.js'
import type { Services } from '../services.js'
import { discard } from '../streams.js'
import { withTimeout } from '../with-timeout.js'

/** Whether a file has the same bytes as staged content, in the revision of `info`. */
export async function isStored ({ storage, settings }: Services, staged: StagedContent, { fileId, size, revision }: FileInfo): Promise<boolean> {
  if (staged.size !== size) return false
  const stored = await storage.read(fileId)
  if (stored === null) return false
  try {
    const hashes = async () => await Promise.all([sha256Of(staged), sha256Of(stored.body)])
    const [a, b] = await withTimeout(hashes, { milliseconds: settings.timeouts.total, timeoutError: ms => new StorageTimeoutError('read', ms) })
    return stored.info.revision === revision && a === b
  } finally {
    discard(stored.body)
  }
}
