import type { BigIntStats } from 'node:fs'
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Content } from '../../types/storage.js'
import { tempName } from './temp-files.js'

export interface TempFile {
  readonly path: string
  readonly stats: BigIntStats
}

export interface TempFileOptions {
  /** Permission bits. Default: those of any new file. */
  readonly mode?: number | undefined
  /** The content gets a later modification time than this one, in nanoseconds. */
  readonly newerThan?: bigint | undefined
  /** Of the name. */
  readonly suffix?: string
}

/** Streams content into a new file that no look-up finds, flushed to the disk. Leaves nothing behind when it rejects. */
export async function writeTempFile (directory: string, content: Content, options: TempFileOptions = {}): Promise<TempFile> {
  const path = join(directory, tempName() + (options.suffix ?? ''))
  const handle = await open(path, 'wx', options.mode)
  try {
    return { path, stats: await fill(handle, content, options) }
  } catch (error) {
    await unlink(path).catch(() => {})
    throw error
  }
}

/** What is done with a temp file before it gets its name. When that fails the temp file is gone. */
export async function orRemoved<Result> (temp: string, task: Promise<Result>): Promise<Result> {
  try {
    return await task
  } catch (error) {
    await unlink(temp).catch(() => {})
    throw error
  }
}

async function fill (handle: FileHandle, content: Content, { mode, newerThan }: TempFileOptions): Promise<BigIntStats> {
  try {
    await handle.writeFile(content)
    if (mode !== undefined) await handle.chmod(mode) // the process's umask took its part of the mode given to open
    // Inode numbers are used again and the kernel's own times stand still for milliseconds: two versions could look alike.
    const seconds = nextTime(newerThan)
    await handle.utimes(seconds, seconds)
    await handle.sync()
    return await handle.stat({ bigint: true })
  } finally {
    await handle.close()
  }
}

let lastMicroseconds = 0

/** Seconds: now, later than every earlier call's, in the middle of a microsecond so that cutting its fraction is harmless. */
function nextTime (newerThan = 0n): number {
  lastMicroseconds = Math.max(Date.now() * 1000, lastMicroseconds + 1)
  return (Math.max(lastMicroseconds, Number(newerThan / 1000n) + 1) + 0.5) / 1_000_000
}

/**
 * Gives a temp file its name, atomically and durably, then removes the files it supersedes: at every moment, a crash
 * included, one of them is there. When it rejects, `target` is what it was and the temp file is gone.
 */
export async function publish (temp: string, target: string, supersedes: readonly string[] = []): Promise<void> {
  const previous = await secondNameOf(target)
  let isRenamed = false
  try {
    await rename(temp, target)
    isRenamed = true
    await syncDirectory(dirname(target))
    for (const path of supersedes) await removeSuperseded(path)
  } catch (error) {
    // A rename may fail although it was done: only a file that still has its first name never got the other.
    if (isRenamed || !await removeFile(temp).catch(() => true)) await putBack(previous, target)
    throw error
  } finally {
    if (previous.path !== undefined) await unlink(previous.path).catch(() => {})
  }
  // The new content is safe already: should a superseded file come back after a crash, the newer one counts.
  if (supersedes.length > 0) await syncDirectory(dirname(target)).catch(() => {})
}

interface Previous {
  readonly existed: boolean
  /** Missing where the file system has no hard links. */
  readonly path?: string
}

/** A hard link costs next to nothing and lets us undo a rename that could not be made durable. */
async function secondNameOf (target: string): Promise<Previous> {
  const path = join(dirname(target), tempName())
  try {
    await link(target, path)
    return { existed: true, path }
  } catch (error) {
    return { existed: (error as NodeJS.ErrnoException).code !== 'ENOENT' }
  }
}

async function putBack ({ existed, path }: Previous, target: string): Promise<void> {
  if (path !== undefined) await rename(path, target).catch(() => {})
  else if (!existed) await unlink(target).catch(() => {})
}

/** A call may fail although it did its work. Were the new file then taken back, nothing would be left. */
async function removeSuperseded (path: string): Promise<void> {
  await removeFile(path).catch(async error => {
    if (await isThere(path)) throw error
  })
}

function isThere (path: string): Promise<boolean> {
  return lstat(path).then(() => true, () => false)
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
