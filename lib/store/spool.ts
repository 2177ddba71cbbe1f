import { randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StagedContent } from './contract.js'

const CHUNK_BYTES = 64 * 1024

/**
 * Keeps content of no stored document in a file in the system's temp directory that only this user can read. The file
 * has no name, so that it disappears when the process ends.
 */
export async function spool (content: AsyncIterable<Uint8Array>): Promise<StagedContent> {
  const path = join(tmpdir(), `.fastify-onlyoffice~${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  const isUnlinked = await unlink(path).then(() => true, () => false) // Windows cannot remove an open file
  const discard = async () => {
    await handle.close().catch(() => {})
    if (!isUnlinked) await unlink(path).catch(() => {})
  }
  /** A stream would close the file if it is left halfway. */
  async function * read (): AsyncGenerator<Uint8Array> {
    for (let position = 0; ;) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
      position += bytesRead
    }
  }
  try {
    await handle.writeFile(content)
    return { size: (await handle.stat()).size, discard, [Symbol.asyncIterator]: read }
  } catch (error) {
    await discard()
    throw error
  }
}
