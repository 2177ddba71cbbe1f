import { type BigIntStats, constants } from 'node:fs'
import { lstat, open, statfs } from 'node:fs/promises'

/** Source: statfs(2). */
const NFS_TYPE = 0x6969

/** By number of the device. */
const isNfs = new Map<bigint, boolean>()

/**
 * The stats of a directory, and from now on every name in it means the file that it means at the file server. The NFS client of
 * Linux answers from memory, for up to a minute: the attributes of files, and which file a name belongs to. But it asks the server
 * whenever a directory is opened, and if the directory has changed, it looks up all names in it again. On other file systems this
 * is one `lstat`.
 */
export async function freshStats (directory: string): Promise<BigIntStats> {
  const stats = await lstat(directory, { bigint: true })
  if (!await isOnNfs(directory, stats)) return stats
  const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    return await handle.stat({ bigint: true })
  } finally {
    await handle.close()
  }
}

async function isOnNfs (directory: string, { dev }: BigIntStats): Promise<boolean> {
  if (process.platform !== 'linux') return false
  let known = isNfs.get(dev)
  if (known === undefined) {
    known = (await statfs(directory)).type === NFS_TYPE
    isNfs.set(dev, known)
  }
  return known
}
