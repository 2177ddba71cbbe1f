import { open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StagedContent } from '../../types/storage.js'
import { tempName } from './temp-files.js'

const CHUNK = 64 * 1024

/**
 * Stages content for a storage that has no place for it: in the system's temp directory, in a file that nobody else can read.
 * It has no name, so that it ends with the process.
 */
export async function spool (_fileId: string, content: AsyncIterable<Uint8Array>): Promise<StagedContent> {
  const path = join(tmpdir(), tempName())
  const handle = await open(path, 'wx+', 0o600)
  const isNameless = await unlink(path).then(() => true, () => false) // Windows removes no open file
  const discard = async () => {
    await handle.close().catch(() => {})
    if (!isNameless) await unlink(path).catch(() => {})
  }
  try {
    await handle.writeFile(content)
    return { size: (await handle.stat()).size, discard, [Symbol.asyncIterator]: chunks }
  } catch (error) {
    await discard()
    throw error
  }

  async function * chunks (): AsyncGenerator<Uint8Array> {
    for (let position = 0; ;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, position)
      if (bytesRead === 0) return
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
}
