import type { BigIntStats } from 'node:fs'
import { link, lstat, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { NameTakenError } from '../errors.js'
import { ignoreMissing, isLinkUnsupported, syncDirectory } from './file-system.js'
import { freshStats } from './network-directory.js'
import { previousOf, type TempFile, tempName } from './temp-files.js'

/** A path, and the stats by which the file expected there is recognized. */
export interface ExpectedFile {
  readonly path: string
  readonly stats: BigIntStats
}

/**
 * Renames a temp file over the file it replaces, atomically and durably, if that still matches `isExpected`. Resolves to whether
 * it did. When it rejects, the replaced file is as it was, and the temp file may still exist.
 */
export async function publishOver (temp: TempFile, target: string, isExpected?: (stats: BigIntStats) => boolean): Promise<boolean> {
  await freshStats(dirname(target))
  // A second hard link is cheap, and is used to undo a rename that could not be flushed.
  const previous = previousOf(temp.path)
  const isLinked = await link(target, previous).then(() => true, () => false)
  try {
    if (isExpected !== undefined && !await fileMatches(isLinked ? previous : target, isExpected)) return false
    await rename(temp.path, target)
    await syncDirectory(dirname(target))
    return true
  } catch (error) {
    // The rename may have been done although it failed. The file may also have been replaced by another process since then.
    if (isLinked && await fileMatches(target, isSameFileAs(temp))) await rename(previous, target).catch(() => {})
    throw error
  } finally {
    await unlink(previous).catch(() => {})
  }
}

/**
 * Gives a temp file a free name, durably, then removes the file it supersedes. `onNamed` is called in between. Rejects with
 * `NameTakenError` when the name is taken. When it rejects, all files are as they were, and the temp file may still exist.
 */
export async function publishNew (temp: TempFile, target: string, superseded?: ExpectedFile, onNamed = () => {}): Promise<void> {
  try {
    await moveToFreeName(temp, target)
    onNamed()
    await syncDirectory(dirname(target))
    if (superseded !== undefined) await removeIfSame(superseded)
  } catch (error) {
    if (await fileMatches(target, isSameFileAs(temp))) {
      // If the superseded file is gone, removing the new one would lose the document.
      if (superseded !== undefined && !await fileMatches(superseded.path, () => true)) return
      await removeIfSame({ path: target, stats: temp.stats }).catch(() => {})
    }
    throw error
  }
  // May fail: the new content is durable, and if the superseded file reappears after a crash, the newer file takes precedence.
  if (superseded !== undefined) await syncDirectory(dirname(target)).catch(() => {})
}

async function moveToFreeName (temp: TempFile, target: string): Promise<void> {
  try {
    await link(temp.path, target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (isLinkUnsupported(code)) return await renameToFreeName(temp, target, error)
    // A network file system may repeat a call that succeeded, and report EEXIST for the link it has made itself.
    if (code !== 'EEXIST') throw error
    if (!await fileMatches(target, isSameFileAs(temp))) throw new NameTakenError({ cause: error })
  }
  await unlink(temp.path).catch(() => {})
}

async function renameToFreeName (temp: TempFile, target: string, cause: unknown): Promise<void> {
  if (await fileMatches(target, () => true)) throw new NameTakenError({ cause })
  await rename(temp.path, target)
}

/**
 * Removes a file if it is still the expected one. It is renamed first and checked again: between a check and an `unlink` of the
 * same path another process could put a different file there.
 */
export async function removeIfSame (file: ExpectedFile): Promise<void> {
  await freshStats(dirname(file.path))
  if (!await fileMatches(file.path, isSameFileAs(file))) return
  const aside = join(dirname(file.path), tempName())
  await rename(file.path, aside).catch(async error => {
    // The rename may have been done although it failed.
    if (await fileMatches(file.path, () => true)) throw error
  })
  let isSame = false
  try {
    isSame = await fileMatches(aside, isSameFileAs(file))
  } finally {
    if (!isSame) await restore(aside, file.path)
    await unlink(aside).catch(() => {})
  }
}

/** Gives a file its name back, unless another file has taken it meanwhile. */
async function restore (aside: string, path: string): Promise<void> {
  await link(aside, path).catch(async ({ code }) => {
    if (code !== 'EEXIST') await rename(aside, path).catch(ignoreMissing)
  })
}

function isSameFileAs ({ stats }: ExpectedFile): (found: BigIntStats) => boolean {
  return ({ ino, size, mtimeNs }) => ino === stats.ino && size === stats.size && mtimeNs === stats.mtimeNs
}

async function fileMatches (path: string, matches: (found: BigIntStats) => boolean): Promise<boolean> {
  const found = await lstat(path, { bigint: true }).catch(ignoreMissing)
  return found !== undefined && matches(found)
}
