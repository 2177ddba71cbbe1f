import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Without following a link and without waiting for the other end of a pipe. Windows knows neither. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** `undefined` when it is not there or not a regular file. */
export async function openRegularFile (path: string): Promise<{ handle: FileHandle, stats: BigIntStats } | undefined> {
  let handle: FileHandle
  try {
    handle = await open(path, OPEN_FLAGS)
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
  try {
    const stats = await handle.stat({ bigint: true })
    if (stats.isFile()) return { handle, stats }
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return undefined
}
