import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, link, lstat, open, rename, stat, statfs, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isUint8Array } from 'node:util/types'
import type { StorageContent } from '../../../types/storage.js'
import { limitConcurrency } from '../../util/queue.js'
import { assertBytes } from '../../util/streams.js'

/** Permissions of new files and directories, before the process's umask is applied. */
export interface Modes {
  readonly file: number
  readonly directory: number
}

/**
 * Everybody who may read the files must be able to enter the directory. The group may contain another instance, which
 * must be able to write there.
 */
export function modesFor (file: number = 0o640): Modes {
  return { file, directory: 0o700 | file | (file & 0o444) >> 2 | (file & 0o040) >> 1 }
}

/** Handles a rejection: resolves to `undefined` for ENOENT, rethrows any other error. */
export function ignoreMissing (error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Resolves to whether the file existed. */
export async function removeFile (path: string): Promise<boolean> {
  return await unlink(path).then(() => true, error => ignoreMissing(error) ?? false)
}

/**
 * Flushes a directory, so that names added to it or removed from it survive a power failure. Resolves to `false` if its
 * file system cannot, such as SMB and Azure Files.
 */
export async function syncDirectory (directory: string): Promise<boolean> {
  if (process.platform === 'win32') return true // there is no such call: the file system journals names
  return await withHandle(directory, 'r', async handle => await isDone(handle.sync()))
}

export async function syncFile (path: string): Promise<void> {
  await withHandle(path, 'r+', async handle => await handle.sync()) // Windows flushes only what is open for writing
}

async function withHandle<Result> (
  path: string, flags: string | number, task: (handle: FileHandle) => Promise<Result>
): Promise<Result> {
  const handle = await open(path, flags)
  try {
    return await task(handle)
  } finally {
    await handle.close()
  }
}

/** Errors of `link` where another way must be taken, most often because the file system has no hard links. */
const NO_LINK: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EXDEV'])

/** Gives a file a second name. Resolves to `false` if the name is taken, and to `undefined` if no link can be made. */
export async function linkFile (path: string, target: string): Promise<boolean | undefined> {
  try {
    await link(path, target)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (NO_LINK.has(code)) return undefined
    if (code !== 'EEXIST') throw error
    // A network file system may repeat a call that succeeded and report EEXIST for its own link.
    const [own, found] = await Promise.all([path, target].map(statsAt))
    return own !== undefined && own.ino === found?.ino
  }
}

/** The stats of what has this path, also of a symbolic link; `undefined` if nothing has it. */
export async function statsAt (path: string): Promise<BigIntStats | undefined> {
  return await lstat(path, { bigint: true }).catch(ignoreMissing)
}

const PERMISSION_BITS = 0o777n

/**
 * Streams content into a new file and flushes it to the disk. It gets the permissions and the owner of the file that it
 * will replace and a later modification time, or else the given mode. Leaves nothing behind if it rejects.
 */
export async function writeContent (
  path: string, content: StorageContent, mode: number, replaced?: BigIntStats
): Promise<BigIntStats> {
  const handle = await open(path, 'wx', replaced === undefined ? mode : permissionsOf(replaced))
  try {
    const size = await appendContent(handle, content)
    await finish(handle, size, replaced)
  } catch (error) {
    await unlink(path).catch(() => {})
    throw error
  } finally {
    await handle.close()
  }
  // A file system that cannot set times may set one as late as when the file is closed.
  return await lstat(path, { bigint: true })
}

/** Writes a new file and flushes it. Leaves nothing behind if it rejects. */
export async function writeText (path: string, text: string, mode: number): Promise<BigIntStats> {
  const handle = await open(path, 'wx', mode)
  try {
    await handle.writeFile(text)
    await handle.sync()
    return await handle.stat({ bigint: true })
  } catch (error) {
    await unlink(path).catch(() => {})
    throw error
  } finally {
    await handle.close()
  }
}

/** The results of making a file as a trial. */
interface Trial {
  /** The time of the file system in milliseconds, whose clock may differ from this machine's. */
  readonly now: number
  /** Whether the times of a directory show that something was added. */
  readonly tellsChanges: boolean
  /** What the file system cannot do, and the consequences. */
  readonly limits: readonly string[]
}

/** Makes a file at a path, renames it to another one and removes it. Rejects if that is not possible. */
export async function tryFile (path: string, renamed: string, mode: number): Promise<Trial> {
  const { ctimeMs } = await writeContent(path, new Uint8Array(0), mode)
  try {
    const isDated = await withHandle(path, 'r+', async handle => await isDone(handle.utimes(1, 1)))
    const directory = dirname(renamed)
    const tellsChanges = await isToldOf(directory, async () => await rename(path, renamed)) ||
      await delay(TIME_GRANULARITY_MS).then(async () =>
        await isToldOf(directory, async () => await rename(renamed, path)))
    const isFlushed = await syncDirectory(directory)
    const limits = [
      ...isDated ? [] : ['cannot set the time of a file: two saves at the same moment may look the same'],
      ...isFlushed ? [] : ['cannot flush a directory: a power failure may undo the latest saves'],
      ...tellsChanges ? [] : ['does not show when a directory has changed: it is listed again and again']
    ]
    return { now: Number(ctimeMs), tellsChanges, limits }
  } finally {
    for (const file of [path, renamed]) await removeFile(file)
  }
}

/** Longer than the granularity of file times in any kernel: the period of its timer, 1 to 16 ms. */
export const TIME_GRANULARITY_MS = 50

/** Whether a directory has other times after a change. With exFAT and some file systems in user space, it has not. */
async function isToldOf (directory: string, change: () => Promise<void>): Promise<boolean> {
  const before = await timesOf(directory)
  await change()
  return await timesOf(directory) !== before
}

/** Sets the time and the owner of a file, and flushes it. */
async function finish (handle: FileHandle, size: number, replaced?: BigIntStats): Promise<void> {
  // The kernel's timestamps have a granularity of milliseconds and inode numbers are reused: two contents could get the
  // same revision.
  const seconds = nextModificationTime(replaced?.mtimeNs)
  await isDone(handle.utimes(seconds, seconds))
  const stats = replaced && await handle.stat({ bigint: true })
  if (stats && !hasSameAccess(stats, replaced)) await copyAccess(handle, stats, replaced)
  await inTurnIfLarge(size, async () => await handle.sync())
}

/** Gives a file the permissions and the owner of another one. */
export async function copyAccessOf (replaced: BigIntStats, path: string): Promise<void> {
  await withHandle(path, 'r+', async handle => {
    const stats = await handle.stat({ bigint: true })
    if (!hasSameAccess(stats, replaced)) await copyAccess(handle, stats, replaced)
  })
}

async function copyAccess (handle: FileHandle, stats: BigIntStats, replaced: BigIntStats): Promise<void> {
  const [uid, gid] = [Number(replaced.uid), Number(replaced.gid)]
  // Only root may change the owner. Any owner may change the group to one of their own.
  if (stats.uid !== replaced.uid) await isDone(handle.chown(uid, gid))
  if (stats.gid !== replaced.gid) await isDone(handle.chown(-1, gid))
  // The umask may have removed bits from the mode given to open, and chown may have cleared some.
  await handle.chmod(permissionsOf(replaced))
}

export function hasSameAccess (a: BigIntStats, b: BigIntStats): boolean {
  return permissionsOf(a) === permissionsOf(b) && a.uid === b.uid && a.gid === b.gid
}

function permissionsOf ({ mode }: BigIntStats): number {
  return Number(mode & PERMISSION_BITS)
}

/** Resolves to `false` if the file system does not support it, or this user may not do it. */
async function isDone (operation: Promise<void>): Promise<boolean> {
  try {
    await operation
    return true
  } catch (error) {
    if (!['EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return false
  }
}

let lastMicroseconds = 0

/**
 * The current time in seconds, but later than `newerThan` and than every time this process has returned before. It lies
 * half a microsecond past a whole one, so that rounding a double down cannot reach the previous microsecond.
 */
function nextModificationTime (newerThan = 0n): number {
  lastMicroseconds = Math.max(Date.now() * 1000, lastMicroseconds + 1)
  return (Math.max(lastMicroseconds, Number(newerThan / 1000n) + 1) + 0.5) / 1_000_000
}

/**
 * Bytes after which content is flushed while more arrives, so that the final flush does not have to write everything.
 */
const FLUSH_AFTER = 16 * 1024 * 1024

/** Smaller operations take no turn. */
const LARGE = 64 * 1024

/**
 * Writing or flushing much occupies one of the four threads that all file operations share: two stay free, for instance
 * for reading small files. A hanging operation does not hold up the others: it may wait for a file server while they
 * use disks of this machine.
 */
const inTurn = limitConcurrency({ concurrency: 2, maxRun: 1000 })

async function inTurnIfLarge (size: number, operation: () => Promise<void>): Promise<void> {
  await (size < LARGE ? operation() : inTurn(operation))
}

/**
 * Writes content to the end of a file. The caller flushes it. Resolves to its size in bytes. Once it has settled,
 * nothing is being written.
 */
async function appendContent (handle: FileHandle, content: StorageContent): Promise<number> {
  let size = 0
  let unflushed = 0
  let flushing = Promise.resolve()
  try {
    for await (const chunk of isUint8Array(content) ? [content] : content) {
      assertBytes(chunk)
      await inTurnIfLarge(chunk.length, async () => await handle.writeFile(chunk))
      size += chunk.length
      unflushed += chunk.length
      if (unflushed < FLUSH_AFTER) continue
      unflushed = 0
      await flushing // a failure is reported once: a later flush may not report it again
      flushing = inTurn(async () => await handle.datasync())
      flushing.catch(() => {}) // awaited later
    }
  } finally {
    await Promise.allSettled([flushing])
  }
  await flushing
  return size
}

/** Source: statfs(2). */
const NFS_TYPE = 0x6969

/** Whether a file system is NFS, by device number. */
const isNfs = new Map<bigint, boolean>()

/** When a directory was changed. `ctimeNs` is needed, because `tar` and `rsync` set `mtimeNs`. As `freshStats`. */
export async function timesOf (directory: string): Promise<string> {
  const { mtimeNs, ctimeNs } = await freshStats(directory)
  return `${mtimeNs} ${ctimeNs}`
}

/**
 * The fresh stats of a directory. Afterwards, every name in it refers to the same file as at the file server. The NFS
 * client of Linux answers from memory for up to a minute, both for the attributes of files and for the file that a name
 * refers to. But it asks the server whenever a directory is opened, and if the directory has changed, it looks up all
 * names in it again. On other file systems this is one `stat`.
 */
export async function freshStats (directory: string): Promise<BigIntStats> {
  const stats = await stat(directory, { bigint: true })
  if (process.platform !== 'linux') return stats
  if (!isNfs.has(stats.dev)) isNfs.set(stats.dev, (await statfs(directory)).type === NFS_TYPE)
  if (!isNfs.get(stats.dev)) return stats
  const flags = constants.O_RDONLY | constants.O_DIRECTORY
  return await withHandle(directory, flags, async handle => await handle.stat({ bigint: true }))
}
