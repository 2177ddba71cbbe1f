import { open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StagedContent } from '../../types/storage.js'
import { tempName } from './temp-files.js'

const CHUNK_BYTES = 64 * 1024

/**
 * Stages content for a storage without `stage`, in a file in the system's temp directory that only this user can read. The file
 * has no name, so that it disappears when the process ends.
 */
export async function spool (_fileId: string, content: AsyncIterable<Uint8Array>): Promise<StagedContent> {
  const path = join(tmpdir(), tempName())
  const handle = await open(path, 'wx+', 0o600)
  const isUnlinked = await unlink(path).then(() => true, () => false) // Windows cannot remove an open file
  const discard = async () => {
    await handle.close().catch(() => {})
    if (!isUnlinked) await unlink(path).catch(() => {})
  }
  try {
    await handle.writeFile(content)
    return { size: (await handle.stat()).size, discard, [Symbol.asyncIterator]: readChunks }
  } catch (error) {
    await discard()
    throw error
  }

  async function * readChunks (): AsyncGenerator<Uint8Array> {
    for (let position = 0; ;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position)
      if (bytesRead === 0) return
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
}
