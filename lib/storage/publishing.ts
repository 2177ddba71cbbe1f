import type { BigIntStats } from 'node:fs'
import { link, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { FileInfo, ReplaceOptions } from '../../types/storage.js'
import { NameTakenError } from '../errors.js'
import { createQueue } from '../util/queue.js'
import { parseJson } from '../util/text.js'
import { storedExtension } from './call-options.js'
import { fileInfo, regularFile, revisionOf, splitName, type StoredFile, takesPrecedence } from './file-lookup.js'
import type { FileServices } from './file-state.js'
import {
  freshStats, ignoreMissing, isTempName, linkFile, prepareToReplace, previousOf, removeFile, statsAt, syncDirectory,
  type TempFile, tempName
} from './file-system.js'

/**
 * Renames a temp file over the file it replaces, atomically and durably, if that file still matches `isExpected`.
 * Resolves to whether it did. If it rejects, the replaced file is unchanged, and the temp file may still exist.
 */
async function publishOver (
  temp: TempFile, target: string, isExpected?: (stats: BigIntStats) => boolean
): Promise<boolean> {
  await freshStats(dirname(target))
  // A second hard link is cheap and allows undoing a rename that could not be flushed.
  const previous = previousOf(temp.path)
  const isLinked = await link(target, previous).then(() => true, () => false)
  try {
    if (isExpected !== undefined && !await fileMatches(isLinked ? previous : target, isExpected)) return false
    await rename(temp.path, target)
    await syncDirectory(dirname(target))
    return true
  } catch (error) {
    // The rename may have taken effect although it failed, and another process may have replaced the file since.
    if (isLinked && await fileMatches(target, isSameFileAs(temp))) await rename(previous, target).catch(() => {})
    throw error
  } finally {
    await unlink(previous).catch(() => {})
  }
}

/**
 * Gives a temp file a free name, durably, then removes the file it supersedes. `onNamed` is called in between. Rejects
 * with `NameTakenError` if the name is taken. If it rejects, all files are unchanged, and the temp file may still
 * exist.
 */
export async function publishNew (
  temp: TempFile, target: string, superseded?: StoredFile, onNamed = () => {}
): Promise<void> {
  const directory = dirname(target)
  try {
    await moveToFreeName(temp, target)
    onNamed()
    await syncDirectory(directory)
    if (superseded !== undefined) await removeIfSame(directory, superseded)
  } catch (error) {
    if (await fileMatches(target, isSameFileAs(temp))) {
      // If the superseded file is gone, removing the new one would lose the document.
      if (superseded !== undefined && !await exists(join(directory, superseded.name))) return
      await removeIfSame(directory, { name: basename(target), stats: temp.stats }).catch(() => {})
    }
    throw error
  }
  // Failure is harmless: the new content is durable, and if the superseded file reappears after a crash, the newer file
  // takes precedence.
  if (superseded !== undefined) await syncDirectory(directory).catch(() => {})
}

async function moveToFreeName (temp: TempFile, target: string): Promise<void> {
  const isLinked = await linkFile(temp.path, target)
  if (isLinked === false || (isLinked === undefined && await exists(target))) throw new NameTakenError()
  if (isLinked) await unlink(temp.path).catch(() => {})
  else await rename(temp.path, target)
}

/**
 * Removes a file if it is still the expected one. It is renamed first and checked again: between a check and an
 * `unlink` of the same path another process could put a different file there.
 */
async function removeIfSame (directory: string, file: StoredFile): Promise<void> {
  const path = join(directory, file.name)
  await freshStats(directory)
  if (!await fileMatches(path, isSameFileAs(file))) return
  const aside = join(directory, tempName())
  await rename(path, aside).catch(async error => {
    // The rename may have taken effect although it failed.
    if (await exists(path)) throw error
  })
  let isSame = false
  try {
    isSame = await fileMatches(aside, isSameFileAs(file))
  } finally {
    // It gets its name back, unless another file has taken the name meanwhile.
    if (!isSame && await linkFile(aside, path).catch(() => undefined) === undefined) {
      await rename(aside, path).catch(ignoreMissing)
    }
    await unlink(aside).catch(() => {})
  }
}

function isSameFileAs ({ stats }: Pick<StoredFile, 'stats'>): (found: BigIntStats) => boolean {
  return ({ ino, size, mtimeNs }) => ino === stats.ino && size === stats.size && mtimeNs === stats.mtimeNs
}

async function fileMatches (path: string, matches: (found: BigIntStats) => boolean): Promise<boolean> {
  const found = await statsAt(path)
  return found !== undefined && matches(found)
}

async function exists (path: string): Promise<boolean> {
  return await statsAt(path) !== undefined
}

type NamedRevision = ReturnType<typeof namedRevision>

/** What another process needs to stop this process from publishing, or to complete its publication. */
interface Ticket {
  /** Name of the temp file. Without the file nothing can be published. */
  readonly temp: string
  /** When the format changes: the new file and the file that it supersedes. */
  readonly published?: NamedRevision
  readonly superseded?: NamedRevision
}

/** Within this process, one replacement of a document at a time checks the stored file and publishes. */
const queue = createQueue()

/**
 * Replaces a stored file with a temp file, which gets another name if the format changes. No other file is touched.
 * Resolves to `null` if the file does not have the expected revision. The revision is checked immediately before the
 * rename: a change by another process in between would be overwritten, so processes must exclude each other, for
 * instance with the lock in the document's record.
 */
export async function replaceFile (
  temp: TempFile, fileId: string, current: StoredFile, { extension, ifRevision, beforePublish }: ReplaceOptions,
  { directory, lookup }: FileServices
): Promise<FileInfo | null> {
  const hasRevision = (stats: BigIntStats) => ifRevision === undefined || revisionOf(stats) === ifRevision
  const isChanged = (found: StoredFile | undefined) => ifRevision !== undefined && !(found && hasRevision(found.stats))
  if (isChanged(current)) return null

  const present = splitName(current.name)?.extension.toLowerCase()
  const wanted = extension === undefined ? present : storedExtension(extension)
  // A file keeps the case of its extension.
  const name = wanted === present ? current.name : `${fileId}.${wanted}`
  const isRenamed = name !== current.name
  await prepareToReplace(temp, current.stats)
  const file = { name, stats: temp.stats }
  // Whether another file has the name of the new file, or would take precedence over it.
  const hasRival = async () => (await lookup.findAll(fileId)).some(other =>
    other.name !== current.name && (other.name === name || !takesPrecedence(file, other))
  )
  // Another replacement in this process may have published under this name without having removed its superseded file
  // yet: wait for it.
  if (isRenamed && await hasRival() && await queue.run(join(directory, fileId), hasRival)) {
    if (isChanged(await freshFile(directory, current.name))) return null
    throw new NameTakenError()
  }
  const info = fileInfo(fileId, name, temp.stats)
  const ticket: Ticket = {
    temp: basename(temp.path),
    ...(isRenamed && { published: namedRevision(file), superseded: namedRevision(current) })
  }
  await beforePublish?.(info, JSON.stringify(ticket))

  return await queue.run(join(directory, fileId), async () => {
    const target = join(directory, name)
    if (!isRenamed) {
      const isPublished = await lookup.changing(async () =>
        await publishOver(temp, target, ifRevision === undefined ? undefined : hasRevision)
      )
      return isPublished ? info : null
    }
    const found = await freshFile(directory, current.name)
    if (isChanged(found)) return null
    await publishNew(temp, target, found, () => lookup.addName(name))
    return info
  })
}

async function freshFile (directory: string, name: string): Promise<StoredFile | undefined> {
  await freshStats(directory)
  return await regularFile(directory, name)
}

/**
 * Removes the temp file, so that it can no longer be published. If it has already been published, removes the file that
 * it superseded. Ignores a ticket that this storage did not issue.
 */
export async function revokeTicket (ticket: string, directory: string, fileId: string): Promise<void> {
  const { temp, published, superseded }: Partial<Ticket> = Object(parseJson(ticket))
  if (typeof temp !== 'string' || !isTempName(temp)) return
  for (const name of [temp, previousOf(temp)]) await removeFile(join(directory, name))
  const find = async (expected: Partial<NamedRevision> | undefined) => {
    if (typeof expected?.name !== 'string' || splitName(expected.name)?.stem !== fileId) return undefined
    const file = await freshFile(directory, expected.name)
    return file && isDeepStrictEqual(namedRevision(file), expected) ? file : undefined
  }
  const left = await find(superseded)
  if (left !== undefined && await find(published) !== undefined) await removeIfSame(directory, left)
}

function namedRevision ({ name, stats }: StoredFile) {
  return { name, revision: revisionOf(stats) }
}
