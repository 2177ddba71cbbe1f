import type { BigIntStats } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Content } from '../../types/storage.js'
import { tempName } from './temp-files.js'

export interface TempFile {
  readonly path: string
  stats: BigIntStats
}

const PERMISSION_BITS = 0o777n

/**
 * Streams content into a new file that no look-up finds, flushed to the disk: with the permissions and the owner of the file
 * it is meant to follow, and a later modification time; without such a file with this mode. Leaves nothing behind when it rejects.
 */
export async function writeTempFile (directory: string, content: Content, mode: number, follows?: BigIntStats): Promise<TempFile> {
  const path = join(directory, tempName())
  const handle = await open(path, 'wx', follows === undefined ? mode : permissionsOf(follows))
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

/** Makes a temp file one that can follow this file, which may be another than it was written for. */
export async function follow (temp: TempFile, follows: BigIntStats): Promise<void> {
  if (isLike(temp.stats, follows) && temp.stats.mtimeNs > follows.mtimeNs) return
  const handle = await open(temp.path, 'r+')
  try {
    temp.stats = await finish(handle, follows)
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
