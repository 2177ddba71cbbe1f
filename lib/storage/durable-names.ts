import type { BigIntStats } from 'node:fs'
import { link, lstat, open, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { NameTakenError } from '../errors.js'
import type { TempFile } from './durable-write.js'
import { previousOf, tempName } from './temp-files.js'

export interface KnownFile {
  readonly path: string
  readonly stats: BigIntStats
}

/**
 * Gives a temp file the name of the file it replaces, atomically and durably, if that is the expected one. Resolves to whether
 * it was. When it rejects, that file is what it was, and the temp file may still be there.
 */
export async function publishOver (temp: TempFile, target: string, isExpected?: (stats: BigIntStats) => boolean): Promise<boolean> {
  // A hard link costs next to nothing and lets us undo a rename that could not be made durable.
  const previous = previousOf(temp.path)
  const isKept = await link(target, previous).then(() => true, () => false)
  try {
    if (isExpected !== undefined && !await isAt(isKept ? previous : target, isExpected)) return false
    await rename(temp.path, target)
    await syncDirectory(dirname(target))
    return true
  } catch (error) {
    // A rename may fail although it was done. What is there by now may also be somebody else's.
    if (isKept && await isAt(target, sameAs(temp))) await rename(previous, target).catch(() => {})
    throw error
  } finally {
    await unlink(previous).catch(() => {})
  }
}

/**
 * Gives a temp file a name that nothing has, durably, then removes the file it supersedes. `onNamed` is called in between. Rejects with `NameTakenError` when
 * something has it. When it rejects, all is as it was, and the temp file may still be there.
 */
export async function publishNew (temp: TempFile, target: string, superseded?: KnownFile, onNamed = () => {}): Promise<void> {
  try {
    await giveName(temp, target)
    onNamed()
    await syncDirectory(dirname(target))
    if (superseded !== undefined) await takeAway(superseded)
  } catch (error) {
    if (await isAt(target, sameAs(temp))) {
      // Were the new file taken back when the old one is gone, nothing would be left.
      if (superseded !== undefined && !await isAt(superseded.path, () => true)) return
      await takeAway({ path: target, stats: temp.stats }).catch(() => {})
    }
    throw error
  }
  // The new content is safe already: should the superseded file come back after a crash, the newer one counts.
  if (superseded !== undefined) await syncDirectory(dirname(target)).catch(() => {})
}

async function giveName (temp: TempFile, target: string): Promise<void> {
  try {
    await link(temp.path, target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (hasNoLinks(code)) return await renameToNew(temp, target, error)
    // A file server that was asked twice says so of what it has done at first.
    if (code !== 'EEXIST') throw error
    if (!await isAt(target, sameAs(temp))) throw new NameTakenError({ cause: error })
  }
  await unlink(temp.path).catch(() => {})
}

async function renameToNew (temp: TempFile, target: string, cause: unknown): Promise<void> {
  if (await isAt(target, () => true)) throw new NameTakenError({ cause })
  await rename(temp.path, target)
}

/** Whether a file system without hard links answers so. */
export function hasNoLinks (code: string | undefined): boolean {
  return code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS'
}

function sameAs ({ stats }: KnownFile): (found: BigIntStats) => boolean {
  return ({ ino, size, mtimeNs }) => ino === stats.ino && size === stats.size && mtimeNs === stats.mtimeNs
}

async function isAt (path: string, isRight: (found: BigIntStats) => boolean): Promise<boolean> {
  const found = await lstat(path, { bigint: true }).catch(orAbsent)
  return found !== undefined && isRight(found)
}

/**
 * Removes this very file, if it is still there. It gets a name of its own first: whoever is stopped between looking and removing
 * would take away what has come in its place.
 */
export async function takeAway (file: KnownFile): Promise<void> {
  if (!await isAt(file.path, sameAs(file))) return
  const aside = join(dirname(file.path), tempName())
  await rename(file.path, aside).catch(async error => {
    // A call may fail although it did its work.
    if (await isAt(file.path, () => true)) throw error
  })
  let isRight = false
  try {
    isRight = await isAt(aside, sameAs(file))
  } finally {
    if (!isRight) await putBack(aside, file.path)
    await unlink(aside).catch(() => {})
  }
}

async function putBack (aside: string, path: string): Promise<void> {
  await link(aside, path).catch(async ({ code }) => {
    if (code !== 'EEXIST') await rename(aside, path).catch(orAbsent)
  })
}

function orAbsent (error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
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
