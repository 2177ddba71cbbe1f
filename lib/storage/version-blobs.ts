import { randomUUID } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing, linkFile, removeFile, statsAt, writeTempFile } from './file-system.js'
import { OpenFile } from './reading.js'
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

export interface Target {
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
  let file: OpenFile | undefined
  let blob: Blob | undefined
  try {
    const isLinked = await linkFile(source.path, path)
    file = await OpenFile.open(isLinked ? path : source.path)
    if (!file || !source.isExpected(file.stats)) return undefined
    // Another program may have written the document without flushing it.
    if (isLinked) await file.flush().catch(ignoreReadOnly)
    const stats = isLinked ? file.stats : await copyFile(file, path, temps)
    if (stats) blob = { name, size: Number(stats.size), mtimeNs: String(stats.mtimeNs) }
    return blob
  } catch (error) {
    return ignoreMissing(error as NodeJS.ErrnoException)
  } finally {
    await file?.close().catch(() => {}) // it was only read
    if (!blob) await removeFile(path).catch(() => {})
  }
}

/** Resolves to `undefined` if the file was written to meanwhile. */
async function copyFile (file: OpenFile, target: string, temps: string): Promise<BigIntStats | undefined> {
  const temp = await writeTempFile(temps, file.stream(), 0o600, { replaced: file.stats })
  try {
    if (await file.isChanged()) return undefined
    await rename(temp.path, target)
    return temp.stats
  } finally {
    await removeFile(temp.path).catch(() => {})
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

/** Windows flushes only files that are open for writing. */
function ignoreReadOnly (error: NodeJS.ErrnoException): void {
  if (process.platform !== 'win32' || error.code !== 'EPERM') throw error
}

/** Opens a blob for reading; `undefined` if it is gone, or has changed because the file was written to in place. */
export async function openBlob (folder: string, blob: Blob): Promise<OpenFile | undefined> {
  const file = await OpenFile.open(join(folder, blob.name))
  if (!file || isUnchanged(blob, file.stats)) return file
  await file.close()
  return undefined
}

/** Whether a blob exists with the content that was kept. */
export async function isIntact (folder: string, blob: Blob): Promise<boolean> {
  const stats = await statsAt(join(folder, blob.name))
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
