import { type BigIntStats, constants, statSync } from 'node:fs'
import { open, stat, statfs } from 'node:fs/promises'

/** Source: statfs(2). */
const NFS_TYPE = 0x6969

/** ext2 to ext4, XFS, Btrfs, ZFS, F2FS, tmpfs, overlayfs. Source: statfs(2). */
const LOCAL_TYPES: ReadonlySet<number> = new Set([
  0xef53,
  0x58465342,
  0x9123683e,
  0x2fc12fc1,
  0xf2f52010,
  0x01021994,
  0x794c7630
])

type Kind = 'local' | 'nfs' | 'other'

/** Of file systems, by number of the device. */
const kinds = new Map<bigint, Kind>()

/**
 * The stats of a directory, and from now on every name in it means the file that it means at the file server. The NFS
 * client of Linux answers from memory, for up to a minute: the attributes of files, and which file a name belongs to.
 * But it asks the server whenever a directory is opened, and if the directory has changed, it looks up all names in it
 * again. On other file systems this is one `stat`.
 */
export async function freshStats (directory: string): Promise<BigIntStats> {
  const stats = await stat(directory, { bigint: true })
  if (await kindOf(directory, stats) !== 'nfs') return stats
  const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    return await handle.stat({ bigint: true })
  } finally {
    await handle.close()
  }
}

/** Reads the stats of one directory again and again. */
export interface DirectoryStats {
  /** As `freshStats`. On a local file system it needs no thread of the pool: that is 10 µs less. */
  read (): BigIntStats | Promise<BigIntStats>
  /** Only for a local file system. */
  readNow (): BigIntStats
  /**
   * Whether the stats of the directory, and of open files in it, are certain to be in the memory of this machine:
   * asking for them waits neither for a disk nor for a server.
   */
  isLocal (): boolean
}

export function directoryStats (directory: string): DirectoryStats {
  let localDevice: bigint | undefined

  return {
    isLocal: () => localDevice !== undefined,
    readNow: () => statSync(directory, { bigint: true }),
    read () {
      if (localDevice === undefined) return readAnyhow()
      const stats = statSync(directory, { bigint: true })
      if (stats.dev === localDevice) return stats
      localDevice = undefined // another file system has been mounted here
      return readAnyhow()
    }
  }

  async function readAnyhow (): Promise<BigIntStats> {
    const stats = await freshStats(directory)
    if (await kindOf(directory, stats) === 'local') localDevice = stats.dev
    return stats
  }
}

/**
 * Whether the stats of a folder can be read without the thread pool: they come neither from a server nor through
 * another program.
 */
export async function isLocal (directory: string): Promise<boolean> {
  return await kindOf(directory, await stat(directory, { bigint: true })) === 'local'
}

async function kindOf (directory: string, { dev }: BigIntStats): Promise<Kind> {
  if (process.platform !== 'linux') return 'other'
  let kind = kinds.get(dev)
  if (kind === undefined) {
    const { type } = await statfs(directory)
    kind = type === NFS_TYPE ? 'nfs' : LOCAL_TYPES.has(type) ? 'local' : 'other'
    kinds.set(dev, kind)
  }
  return kind
}
