import { type BigIntStats, constants, statSync } from 'node:fs'
import { open, stat, statfs } from 'node:fs/promises'
import { TIME_GRANULARITY_MS } from './file-system.js'

/** Source: statfs(2). */
const NFS_TYPE = 0x6969

/** ext2 to ext4, XFS, Btrfs, ZFS, F2FS, tmpfs, overlayfs. Source: statfs(2). */
const LOCAL_TYPES: ReadonlySet<number> = new Set(
  [0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0x01021994, 0x794c7630]
)

type Kind = 'local' | 'nfs' | 'other'

/** Kinds of file systems, by device number. */
const kinds = new Map<bigint, Kind>()

/**
 * The fresh stats of a directory. Afterwards, every name in it refers to the same file as at the file server. The NFS
 * client of Linux answers from memory for up to a minute, both for the attributes of files and for the file that a name
 * refers to. But it asks the server whenever a directory is opened, and if the directory has changed, it looks up all
 * names in it again. On other file systems this is one `stat`.
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

/** When a directory last changed, that is, when a name was added to it or removed from it. */
export interface DirectoryTimes {
  readonly mtimeNs: bigint
  /**
   * Changes with `mtimeNs`, and whenever a program sets that: `tar` and `rsync` set a directory's modification time
   * when they finish.
   */
  readonly ctimeNs: bigint
  /** Whether any later change is certain to result in other times. */
  readonly isStable: boolean
  /** How many changes by others have been seen. A change that coincides with one by this process is not seen. */
  readonly othersChanges: number
  /** Whether any later change by others is certain to be counted, unless it coincides with a change by this process. */
  readonly isQuiet: boolean
}

/**
 * Reads the times of a directory, and distinguishes changes by this process from changes by others. `read` rejects if
 * the directory is gone. Times are stable once they have been the same for longer than the granularity of file times.
 * That is measured with this process's monotonic clock, because the clock of a file server may differ from this
 * machine's.
 */
export function directoryClock (directory: string) {
  let localDevice: bigint | undefined
  let last = { mtimeNs: -1n, ctimeNs: -1n, firstReadAt: 0 }
  let others = { changes: 0, seenAt: 0 }
  let ownChanges = 0

  return {
    async read (): Promise<DirectoryTimes> {
      const startedAt = performance.now()
      const { mtimeNs, ctimeNs } = localStats() ?? await anyStats()
      note(mtimeNs, ctimeNs)
      return {
        mtimeNs,
        ctimeNs,
        isStable: startedAt - last.firstReadAt > TIME_GRANULARITY_MS,
        othersChanges: others.changes,
        isQuiet: startedAt - others.seenAt > TIME_GRANULARITY_MS
      }
    },

    /**
     * Whether the stats of the directory, and of open files in it, are certain to be in the memory of this machine, so
     * that reading them waits neither for a disk nor for a server.
     */
    isLocal: () => localDevice !== undefined,

    /**
     * Runs a change that replaces a file of the directory or adds a temp file, and renames no document, so that
     * remembered names stay valid.
     */
    async changing<Result> (change: () => Promise<Result>): Promise<Result> {
      if (localDevice === undefined) return await change()
      noteNow()
      ownChanges++
      try {
        return await change()
      } finally {
        noteNow()
        ownChanges--
      }
    }
  }

  /** Without the thread pool, which saves 10 µs. */
  function localStats (): BigIntStats | undefined {
    if (localDevice === undefined) return undefined
    const stats = statSync(directory, { bigint: true })
    if (stats.dev === localDevice) return stats
    localDevice = undefined // another file system has been mounted here
    return undefined
  }

  async function anyStats (): Promise<BigIntStats> {
    const stats = await freshStats(directory)
    if (await kindOf(directory, stats) === 'local') localDevice = stats.dev
    return stats
  }

  function note (mtimeNs: bigint, ctimeNs: bigint): void {
    if (mtimeNs === last.mtimeNs && ctimeNs === last.ctimeNs) return
    last = { mtimeNs, ctimeNs, firstReadAt: performance.now() }
    if (ownChanges === 0) others = { changes: others.changes + 1, seenAt: last.firstReadAt }
  }

  function noteNow (): void {
    try {
      const { mtimeNs, ctimeNs } = statSync(directory, { bigint: true })
      note(mtimeNs, ctimeNs)
    } catch {} // the next lookup reports the error, or sees a change by others
  }
}

/** Whether no name has been added to the directory or removed from it between the two reads. */
export function isUnchanged (before: DirectoryTimes, after: DirectoryTimes): boolean {
  return before.isStable && before.mtimeNs === after.mtimeNs && before.ctimeNs === after.ctimeNs
}

/** Whether no change by others has been seen between the two reads. */
export function isUnchangedByOthers (before: DirectoryTimes, after: DirectoryTimes): boolean {
  return before.isQuiet && before.othersChanges === after.othersChanges
}
