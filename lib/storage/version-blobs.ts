import { randomUUID } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { type FileHandle, link, lstat, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing, isLinkUnsupported, removeFile, writeTempFile } from './file-system.js'
import { openRegularFile } from './reading.js'
import type { Blob } from './version-log.js'

/** Name of a blob: a random UUID. */
const BLOB_NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Programs that copy directories preserve modification times to the nanosecond, or only to one of these units. */
const TIME_UNITS_NS = [1n, 100n, 1000n, 1_000_000n, 1_000_000_000n]

interface Source {
  readonly path: string
  /** Whether the file at this path is still the file to keep. */
  readonly isExpected: (stats: BigIntStats) => boolean
}

interface Target {
  readonly folder: string
  /** Folder for temp files, on the same file system. */
  readonly temps: string
}

/**
 * Gives a file a second name, or copies it if the file system has no hard links. The content is durable, the name is
 * not. Resolves to `undefined`, and leaves nothing behind, if the file or the folder is gone or the file is not the
 * expected one.
 */
export async function addBlob (source: Source, { folder, temps }: Target): Promise<Blob | undefined> {
  const name = randomUUID()
  const path = join(folder, name)
  try {
    const stats = await linkFile(source, path) ?? await copyFile(source, path, temps)
    return { name, size: Number(stats.size), mtimeNs: String(stats.mtimeNs) }
  } catch (error) {
    await removeFile(path).catch(() => {})
    if (error === NOT_EXPECTED) return undefined
    return ignoreMissing(error as NodeJS.ErrnoException)
  }
}

/** Writes a text. The content is durable, the name is not. Resolves to `undefined` if the folder does not exist. */
export async function addText (text: string, { folder, temps }: Target, mode: number): Promise<Blob | undefined> {
  const name = randomUUID()
  const temp = await writeTempFile(temps, Buffer.from(text), mode)
  try {
    await rename(temp.path, join(folder, name))
    return { name, size: Number(temp.stats.size) }
  } catch (error) {
    await removeFile(temp.path).catch(() => {})
    return ignoreMissing(error as NodeJS.ErrnoException)
  }
}

/** The text of a blob; `undefined` if the blob is gone. */
export async function textOf (folder: string, { name }: Blob): Promise<string | undefined> {
  return await readFile(join(folder, name), 'utf8').catch(ignoreMissing)
}

const NOT_EXPECTED = new Error('The file is not the expected one')

/** Resolves to `undefined` if no link can be made. */
async function linkFile ({ path, isExpected }: Source, target: string): Promise<BigIntStats | undefined> {
  try {
    await link(path, target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (isLinkUnsupported(code) || code === 'EMLINK' || code === 'EXDEV') return undefined
    throw error
  }
  return await withExpected({ path: target, isExpected }, async (handle, stats) => {
    await handle.sync().catch(ignoreReadOnly) // another program may have written the document without flushing it
    return stats
  })
}

async function copyFile (source: Source, target: string, temps: string): Promise<BigIntStats> {
  return await withExpected(source, async (handle, stats) => {
    const temp = await writeTempFile(temps, handle.createReadStream({ start: 0, autoClose: false }), 0o600, {
      replaced: stats
    })
    try {
      if (!source.isExpected(await handle.stat({ bigint: true }))) throw NOT_EXPECTED
      await rename(temp.path, target)
      return temp.stats
    } catch (error) {
      await removeFile(temp.path).catch(() => {})
      throw error
    }
  })
}

async function withExpected<Result> (
  { path, isExpected }: Source,
  task: (handle: FileHandle, stats: BigIntStats) => Promise<Result>
): Promise<Result> {
  const opened = await openRegularFile(path)
  if (!opened) throw NOT_EXPECTED
  try {
    if (!isExpected(opened.stats)) throw NOT_EXPECTED
    return await task(opened.handle, opened.stats)
  } finally {
    await opened.handle.close()
  }
}

/** Windows flushes only files that are open for writing. */
function ignoreReadOnly (error: NodeJS.ErrnoException): void {
  if (process.platform !== 'win32' || error.code !== 'EPERM') throw error
}

/**
 * Opens a blob for reading. Resolves to `undefined` if it is gone, and to `null` if its content has changed because the
 * file was written to in place.
 */
export async function openBlob (folder: string, blob: Blob): Promise<FileHandle | undefined | null> {
  const opened = await openRegularFile(join(folder, blob.name))
  if (!opened) return undefined
  if (isUnchanged(blob, opened.stats)) return opened.handle
  await opened.handle.close()
  return null
}

/** Whether a blob exists with the content that was kept. */
export async function isIntact (folder: string, blob: Blob): Promise<boolean> {
  const stats = await lstat(join(folder, blob.name), { bigint: true }).catch(ignoreMissing)
  return stats !== undefined && isUnchanged(blob, stats)
}

/**
 * The inode is not compared, because it changes if the directory is moved to another disk or restored from a backup.
 */
function isUnchanged ({ size, mtimeNs }: Blob, stats: BigIntStats): boolean {
  return mtimeNs !== undefined && stats.size === BigInt(size) &&
    TIME_UNITS_NS.some(unit => stats.mtimeNs === BigInt(mtimeNs) / unit * unit)
}

/** The names of all blobs in a folder, including blobs that no log names. */
export async function blobsIn (folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(ignoreMissing) ?? []
  return names.filter(name => BLOB_NAME.test(name))
}
