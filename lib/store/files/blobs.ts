import { hash } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import { copyFile, type FileHandle, open, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, Readable, Transform } from 'node:stream'
import type { ByteRange, StorageContent } from '../../../types/storage.js'
import type { StoredBlob } from '../../../types/storage-driver.js'
import { streamOf } from '../../util/streams.js'
import { sliceOf } from '../call-options.js'
import { ignoreMissing, linkFile, type Modes, removeFile, statsAt, syncFile, writeContent } from './file-system.js'
import { type Folders, tempName } from './folders.js'
import type { FileLookup } from './lookup.js'

/** A version: a second name of what was the document's file, with which it shares whatever is written into it. */
const KEPT = '.kept'
/** A version where there are no hard links: nobody else writes to it. */
const COPY = '.copy'
/** Content that will not become the document's content after all. Its writer may want to store it elsewhere. */
export const WITHDRAWN = '.withdrawn'

/** Programs that copy directories preserve modification times to the nanosecond, or only to one of these units. */
const TIME_UNITS_NS = [1n, 100n, 1000n, 1_000_000n, 1_000_000_000n]

interface Services {
  readonly directory: string
  readonly modes: Modes
  readonly lookup: FileLookup
  readonly folders: Folders
}

/** The contents in the folders of the documents. Their names are durable once the folder was flushed. */
export function createBlobs ({ directory, modes, lookup, folders: { folderOf, inFolder } }: Services) {
  return {
    async write (fileId: string, content: StorageContent, like = fileId): Promise<StoredBlob> {
      const folder = folderOf(fileId)
      const [replaced] = await lookup.find(like)
      const path = join(folder, tempName())
      await inFolder(folder, async () => await stat(folder)) // `content` can be read only once
      const stats = await writeContent(path, content, modes.file, replaced?.stats)
      const name = blobName(stats)
      await rename(path, join(folder, name))
      return { name, size: Number(stats.size) }
    },

    /** Finds the content wherever it is, unless somebody has written to its file. */
    async read (fileId: string, { name, size }: StoredBlob, range?: ByteRange) {
      const inDirectory = async (names: readonly string[]) =>
        await opened(names.map(file => join(directory, file)), ({ stats }) => blobName(stats) === name)
      const file = await inDirectory(lookup.knownNames(fileId)) ??
        await opened(['', KEPT, WITHDRAWN].map(end => join(folderOf(fileId), name + end)), ({ stats }) =>
          Number(stats.size) === size && hasTimeOf(name, stats)) ??
        await opened([join(folderOf(fileId), name + COPY)], ({ stats }) => Number(stats.size) === size) ??
        await inDirectory((await lookup.find(fileId)).map(({ name }) => name)) // it may just have been published
      return file ? await contentOf(file, range) ?? null : null
    },

    /** Keeps the present content as a version. Resolves to `false` if the file has another content. */
    async keep (fileId: string, path: string, name: string): Promise<boolean> {
      const folder = folderOf(fileId)
      const target = join(folder, name + KEPT)
      try {
        const isLinked = await inFolder(folder, async () => await linkFile(path, target))
        if (isLinked === undefined) return await copy(path, folder, name)
      } catch (error) {
        return ignoreMissing(error as NodeJS.ErrnoException) ?? false
      }
      const kept = await statsAt(target)
      if (kept && blobName(kept) === name) return true
      await removeFile(target)
      return false
    },

    async drop (fileId: string, name: string): Promise<void> {
      for (const end of ['', KEPT, COPY, WITHDRAWN]) await removeFile(join(folderOf(fileId), name + end))
    }
  }

  async function copy (path: string, folder: string, name: string): Promise<boolean> {
    const temp = join(folder, tempName())
    await copyFile(path, temp)
    await syncFile(temp)
    const after = await statsAt(path)
    const isSame = after !== undefined && blobName(after) === name
    if (isSame) await rename(temp, join(folder, name + COPY))
    else await removeFile(temp)
    return isSame
  }
}

/** The first of these files that is the right one. */
async function opened (paths: readonly string[], isRight: (file: OpenFile) => boolean): Promise<OpenFile | undefined> {
  for (const path of paths) {
    const file = await openFile(path)
    if (file && isRight(file)) return file
    await file?.handle.close()
  }
  return undefined
}

/**
 * The name of a content, which follows from its file, wherever that is: from its modification time, and from what
 * distinguishes it from all other files.
 */
export function blobName ({ ino, size, mtimeNs }: BigIntStats): string {
  return `${mtimeNs.toString(36)}-${hash('sha256', `${ino}.${size}.${mtimeNs}`, 'hex').slice(0, 32)}`
}

/**
 * Whether a file has not been written to since it got its name. Its inode is not compared, because it is another one
 * when the directory has been moved to another disk, or restored from a backup.
 */
function hasTimeOf (name: string, { mtimeNs }: BigIntStats): boolean {
  const time = timeIn(name)
  return TIME_UNITS_NS.some(unit => mtimeNs === time / unit * unit)
}

/** In nanoseconds. */
function timeIn (name: string): bigint {
  let time = 0n
  for (const digit of name.slice(0, name.indexOf('-'))) time = time * 36n + BigInt(parseInt(digit, 36))
  return time
}

/** O_NOFOLLOW refuses symbolic links. O_NONBLOCK does not wait for the writer of a pipe. Windows has neither. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Content up to this size is read at once, before anything is sent. */
const MAX_BYTES_AT_ONCE = 64 * 1024

/** An open regular file. */
interface OpenFile {
  readonly handle: FileHandle
  readonly stats: BigIntStats
}

/** Opens a file for reading; `undefined` if it does not exist or is not a regular file. */
async function openFile (path: string): Promise<OpenFile | undefined> {
  let handle: FileHandle
  try {
    handle = await open(path, OPEN_FLAGS)
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
  let file: OpenFile | undefined
  try {
    const stats = await handle.stat({ bigint: true })
    if (stats.isFile()) file = { handle, stats }
    return file
  } finally {
    if (file === undefined) await handle.close()
  }
}

/** Whether a file has been written to since it was opened. */
async function isChanged ({ handle, stats }: OpenFile): Promise<boolean> {
  const { size, mtimeNs } = await handle.stat({ bigint: true })
  return size !== stats.size || mtimeNs !== stats.mtimeNs
}

/**
 * The content of an open file, which is closed after reading or if it cannot be read. Short content is read into memory
 * first; `undefined` if the file was written to meanwhile. Throws a `RangeError` unless the range lies within the file.
 */
async function contentOf (file: OpenFile, range: ByteRange | undefined): Promise<Readable | undefined> {
  let isRead = true
  try {
    const { start, length } = sliceOf(Number(file.stats.size), range)
    if (length <= MAX_BYTES_AT_ONCE) {
      const { buffer, bytesRead } = await file.handle.read(Buffer.allocUnsafe(length), 0, length, start)
      return bytesRead < length || await isChanged(file) ? undefined : streamOf(buffer)
    }
    isRead = false
    return exactly(length, file.handle.createReadStream({ start, end: start + length - 1 }))
  } finally {
    if (isRead) file.handle.close().catch(() => {}) // nobody waits for it: the file was only read
  }
}

/** Fails if the file turns out to be shorter, because the length may already be in the headers of a response. */
function exactly (length: number, source: Readable): Readable {
  let received = 0
  return pipeline(
    source,
    new Transform({
      transform (chunk: Buffer, _encoding, done) {
        received += chunk.length
        done(null, chunk)
      },
      flush (done) {
        const error = new Error(
          `The file was truncated while it was read: received ${received} of ${length} bytes`
        )
        done(received === length ? null : error)
      }
    }),
    () => {}
  )
}
