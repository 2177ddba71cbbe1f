import { type BigIntStats, close, closeSync, constants, fstat, fstatSync, open as openDescriptor, openSync, read } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ByteRange } from '../../types/storage.js'
import { streamOf } from '../streams.js'
import { FileBody, type Source } from './file-body.js'

/** O_NOFOLLOW: follow no symbolic link. O_NONBLOCK: do not wait for the writer of a pipe. Windows has neither. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Up to this size content is read by one call, before anything is sent. */
const MAX_BYTES_AT_ONCE = 64 * 1024

/** Opens a file for reading; `undefined` when it does not exist or is not a regular file. */
export async function openRegularFile (path: string): Promise<{ handle: FileHandle, stats: BigIntStats } | undefined> {
  let handle: FileHandle
  try {
    handle = await open(path, OPEN_FLAGS)
  } catch (error) {
    return ignoreIrregular(error as NodeJS.ErrnoException)
  }
  try {
    const stats = await handle.stat({ bigint: true })
    if (stats.isFile()) return { handle, stats }
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return undefined
}

function ignoreIrregular (error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ELOOP', 'ENXIO', 'EMLINK'].includes(error.code ?? '')) throw error
}

/** An open regular file. It uses the callback API, which takes half of the time that a `FileHandle` takes. */
export class OpenFile implements Source {
  readonly stats: BigIntStats
  readonly #descriptor: number
  readonly #isLocal: boolean

  private constructor (descriptor: number, stats: BigIntStats, isLocal: boolean) {
    this.#descriptor = descriptor
    this.#isLocal = isLocal
    this.stats = stats
  }

  /**
   * Opens a file for reading; `undefined` when it does not exist or is not a regular file. `isLocal`: the stats of an open file are
   * in the memory of this machine. Such a file is opened without the thread pool: that it has this name was found out just before.
   */
  static async open (path: string, isLocal: boolean): Promise<OpenFile | undefined> {
    let descriptor: number
    try {
      descriptor = isLocal ? openSync(path, OPEN_FLAGS) : await new Promise<number>((resolve, reject) => openDescriptor(path, OPEN_FLAGS, settle(resolve, reject)))
    } catch (error) {
      return ignoreIrregular(error as NodeJS.ErrnoException)
    }
    try {
      const stats = await statsOf(descriptor, isLocal)
      if (stats.isFile()) return new OpenFile(descriptor, stats, isLocal)
    } catch (error) {
      await closeDescriptor(descriptor)
      throw error
    }
    await closeDescriptor(descriptor)
    return undefined
  }

  /** Whether the file has been written to since it was opened. */
  async isChanged (): Promise<boolean> {
    const { size, mtimeNs } = await statsOf(this.#descriptor, this.#isLocal)
    return size !== this.stats.size || mtimeNs !== this.stats.mtimeNs
  }

  async read (buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }> {
    return await new Promise((resolve, reject) => {
      read(this.#descriptor, buffer, offset, length, position, settle(bytesRead => resolve({ bytesRead }), reject))
    })
  }

  async close (): Promise<void> {
    if (this.#isLocal && hasName(this.#descriptor)) closeSync(this.#descriptor)
    else await closeDescriptor(this.#descriptor)
  }
}

/** Without a name the last close frees the blocks of a file, which may take long. Otherwise a file that was only read is closed at once. */
function hasName (descriptor: number): boolean {
  try {
    return fstatSync(descriptor, { bigint: true }).nlink > 0n
  } catch {
    return false
  }
}

function statsOf (descriptor: number, isLocal: boolean): BigIntStats | Promise<BigIntStats> {
  if (isLocal) return fstatSync(descriptor, { bigint: true })
  return new Promise((resolve, reject) => fstat(descriptor, { bigint: true }, settle(resolve, reject)))
}

function closeDescriptor (descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => close(descriptor, error => error ? reject(error) : resolve()))
}

/** A callback that settles a promise. */
function settle<Value> (resolve: (value: Value) => void, reject: (error: Error) => void) {
  return (error: Error | null, value: Value): void => error ? reject(error) : resolve(value)
}

/**
 * Content of an open file, which is closed when it is read, or cannot be read. Short content is in memory already; then it is
 * certain that nobody has written to the file meanwhile: otherwise this is `undefined`. Throws a `RangeError` unless the range lies
 * within the file.
 */
export async function contentOf (file: OpenFile, range: ByteRange | undefined): Promise<Readable | undefined> {
  let isRead = true
  try {
    const { start, length } = sliceOf(Number(file.stats.size), range)
    if (length <= MAX_BYTES_AT_ONCE) {
      const bytes = await bytesOf(file, start, length)
      return bytes && streamOf(bytes)
    }
    isRead = false
    return new FileBody(file, start, length)
  } finally {
    if (isRead) file.close().catch(() => {}) // nobody waits for it: the file was only read
  }
}

async function bytesOf (file: OpenFile, start: number, length: number): Promise<Buffer | undefined> {
  const bytes = Buffer.allocUnsafe(length)
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled)
    if (bytesRead === 0) return undefined
    filled += bytesRead
  }
  return await file.isChanged() ? undefined : bytes
}

/** First byte and number of bytes of a range, or of the whole file. Throws a `RangeError` unless the range lies within the file. */
export function sliceOf (size: number, range: ByteRange | undefined): { start: number, length: number } {
  if (!range) return { start: 0, length: size }
  const { start, end } = range
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end >= size) {
    throw new RangeError(`The range ${start}-${end} is not within the ${size} bytes of the file`)
  }
  return { start, length: end - start + 1 }
}
