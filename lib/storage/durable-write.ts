import type { BigIntStats } from 'node:fs'
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Content } from '../../types/storage.js'
import { NameTakenError } from '../errors.js'
import { tempName } from './temp-files.js'

export interface TempFile {
  readonly path: string
  readonly stats: BigIntStats
}

const PERMISSION_BITS = 0o777n

/**
 * Streams content into a new file that no look-up finds, flushed to the disk: with the permissions and the owner of the file
 * it is meant to follow, and a later modification time. Leaves nothing behind when it rejects.
 */
export async function writeTempFile (directory: string, content: Content, follows?: BigIntStats): Promise<TempFile> {
  const path = join(directory, tempName())
  const handle = await open(path, 'wx', follows && permissionsOf(follows))
  try {
    await handle.writeFile(content)
    return { path, stats: await finish(handle, follows) }
  } catch (error) {
    await unlink(path).catch(() => {})
    throw error
  } finally {
    await handle.close()
  }
}

/** The temp file as it must be to follow this file, which may be another than it was written for. */
export async function following (temp: TempFile, { stats: follows }: { readonly stats: BigIntStats }): Promise<TempFile> {
  const { stats } = temp
  if (isLike(stats, follows) && stats.mtimeNs > follows.mtimeNs) return temp
  const handle = await open(temp.path, 'r+')
  try {
    return { path: temp.path, stats: await finish(handle, follows) }
  } finally {
    await handle.close()
  }
}

async function finish (handle: FileHandle, follows?: BigIntStats): Promise<BigIntStats> {
  if (follows !== undefined) await makeLike(handle, follows)
  // Inode numbers are used again and the kernel's own times stand still for milliseconds: two versions could look alike.
  const seconds = nextTime(follows?.mtimeNs)
  await handle.utimes(seconds, seconds)
  await handle.sync()
  return await handle.stat({ bigint: true })
}

async function makeLike (handle: FileHandle, follows: BigIntStats): Promise<void> {
  const made = await handle.stat({ bigint: true })
  const [uid, gid] = [Number(follows.uid), Number(follows.gid)]
  // Only the super-user gives files away; to a group of one's own anyone can.
  if (made.uid !== follows.uid) await handle.chown(uid, gid).catch(orNotAllowed)
  if (made.gid !== follows.gid) await handle.chown(-1, gid).catch(orNotAllowed)
  // The process's umask took its part of the mode given to open, and a change of the owner may take more.
  if (!isLike(made, follows)) await handle.chmod(permissionsOf(follows))
}

function isLike (a: BigIntStats, b: BigIntStats): boolean {
  return permissionsOf(a) === permissionsOf(b) && a.uid === b.uid && a.gid === b.gid
}

function permissionsOf ({ mode }: BigIntStats): number {
  return Number(mode & PERMISSION_BITS)
}

function orNotAllowed (error: NodeJS.ErrnoException): void {
  if (!['EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP'].includes(error.code ?? '')) throw error
}

let lastMicroseconds = 0

/** Seconds: now, later than every earlier call's, in the middle of a microsecond so that cutting its fraction is harmless. */
function nextTime (newerThan = 0n): number {
  lastMicroseconds = Math.max(Date.now() * 1000, lastMicroseconds + 1)
  return (Math.max(lastMicroseconds, Number(newerThan / 1000n) + 1) + 0.5) / 1_000_000
}

/**
 * Gives a temp file the name of the file it replaces, atomically and durably. When it rejects, that file is what it was, and
 * the temp file may still be there.
 */
export async function publishOver (temp: TempFile, target: string): Promise<void> {
  const previous = await secondNameOf(target)
  try {
    await rename(temp.path, target)
    await syncDirectory(dirname(target))
  } catch (error) {
    // A rename may fail although it was done. What is there by now may also be somebody else's.
    if (previous !== undefined && await isAt(target, temp)) await rename(previous, target).catch(() => {})
    throw error
  } finally {
    if (previous !== undefined) await unlink(previous).catch(() => {})
  }
}

/**
 * Gives a temp file a name that nothing has, durably, then removes the file it supersedes. Rejects with `NameTakenError` when
 * something has it. When it rejects, all is as it was, and the temp file may still be there.
 */
export async function publishNew (temp: TempFile, target: string, superseded?: string): Promise<void> {
  try {
    await giveName(temp, target)
    await syncDirectory(dirname(target))
    if (superseded !== undefined) await removeForSure(superseded)
  } catch (error) {
    if (!(error instanceof NameTakenError) && await isAt(target, temp)) await unlink(target).catch(() => {})
    throw error
  }
  // The new content is safe already: should the superseded file come back after a crash, the newer one counts.
  if (superseded !== undefined) await syncDirectory(dirname(target)).catch(() => {})
}

async function giveName (temp: TempFile, target: string): Promise<void> {
  try {
    await link(temp.path, target)
    await unlink(temp.path).catch(() => {})
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw new NameTakenError({ cause: error })
    if (!hasNoLinks(code)) throw error
    if (await lstat(target).catch(() => undefined) !== undefined) throw new NameTakenError({ cause: error })
    await rename(temp.path, target)
  }
}

/** Whether a file system without hard links answers so. */
export function hasNoLinks (code: string | undefined): boolean {
  return code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS'
}

/** A hard link costs next to nothing and lets us undo a rename that could not be made durable. `undefined` where there are none. */
async function secondNameOf (target: string): Promise<string | undefined> {
  const path = join(dirname(target), tempName())
  return await link(target, path).then(() => path, () => undefined)
}

async function isAt (target: string, { stats: { ino, mtimeNs } }: TempFile): Promise<boolean> {
  const found = await lstat(target, { bigint: true }).catch(() => undefined)
  return found !== undefined && found.ino === ino && found.mtimeNs === mtimeNs
}

/** A call may fail although it did its work. Were the new file then taken back, nothing would be left. */
async function removeForSure (path: string): Promise<void> {
  await removeFile(path).catch(async error => {
    if (await lstat(path).then(() => true, () => false)) throw error
  })
}

/** Resolves to whether the file was there. */
export async function removeFile (path: string): Promise<boolean> {
  try {
    await unlink(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

export async function syncDirectory (directory: string): Promise<void> {
  if (process.platform === 'win32') return // has no such call: names are in the file system's journal
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
