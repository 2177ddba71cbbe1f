import {
  type BigIntStats, close, closeSync, constants, createReadStream, fstat, fstatSync, fsync, open, openSync, read,
  type ReadStream
} from 'node:fs'
import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ByteRange } from '../../types/storage.js'
import { streamOf } from '../util/streams.js'

/** O_NOFOLLOW refuses symbolic links. O_NONBLOCK does not wait for the writer of a pipe. Windows has neither. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Content up to this size is read at once, before anything is sent. */
const MAX_BYTES_AT_ONCE = 64 * 1024

/** Bytes per read. A client that takes longer than `timeouts.idle` for them counts as having stopped reading. */
const PIECE = 64 * 1024

/** An open regular file. Uses the callback API, which takes half as long as a `FileHandle`. */
export class OpenFile {
  readonly stats: BigIntStats
  readonly #descriptor: number
  readonly #isLocal: boolean

  private constructor (descriptor: number, stats: BigIntStats, isLocal: boolean) {
    this.#descriptor = descriptor
    this.#isLocal = isLocal
    this.stats = stats
  }

  /**
   * Opens a file for reading; `undefined` if it does not exist or is not a regular file. `isLocal`: the stats of an
   * open file are in the memory of this machine. Such a file is opened without the thread pool, because its name was
   * looked up just before.
   */
  static async open (path: string, isLocal = false): Promise<OpenFile | undefined> {
    let descriptor: number
    try {
      descriptor = isLocal
        ? openSync(path, OPEN_FLAGS)
        : await promised<number>(callback => open(path, OPEN_FLAGS, callback))
    } catch (error) {
      if (['ENOENT', 'ELOOP', 'ENXIO', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
      throw error
    }
    let file: OpenFile | undefined
    try {
      const stats = await statsOf(descriptor, isLocal)
      if (stats.isFile()) file = new OpenFile(descriptor, stats, isLocal)
      return file
    } finally {
      if (file === undefined) await closed(descriptor)
    }
  }

  /** Whether the file has been written to since it was opened. */
  async isChanged (): Promise<boolean> {
    const { size, mtimeNs } = await statsOf(this.#descriptor, this.#isLocal)
    return size !== this.stats.size || mtimeNs !== this.stats.mtimeNs
  }

  /** Resolves to the number of bytes read: 0 at the end of the file. */
  read (buffer: Buffer, offset: number, length: number, position: number): Promise<number> {
    return promised(callback => read(this.#descriptor, buffer, offset, length, position, callback))
  }

  /** The bytes of the file, which stays open. */
  stream (): ReadStream {
    return createReadStream('', { fd: this.#descriptor, start: 0, autoClose: false })
  }

  flush (): Promise<void> {
    return promised(callback => fsync(this.#descriptor, callback))
  }

  async close (): Promise<void> {
    // The last close of a file without a name frees its blocks, which may take long.
    const hasName = this.#isLocal &&
      await statsOf(this.#descriptor, true).then(({ nlink }) => nlink > 0n, () => false)
    if (hasName) closeSync(this.#descriptor)
    else await closed(this.#descriptor)
  }
}

async function statsOf (descriptor: number, isLocal: boolean): Promise<BigIntStats> {
  if (isLocal) return fstatSync(descriptor, { bigint: true })
  return await promised(callback => fstat(descriptor, { bigint: true }, callback))
}

function closed (descriptor: number): Promise<void> {
  return promised(callback => close(descriptor, callback))
}

function promised<Value> (call: (callback: (error?: Error | null, value?: Value) => void) => void): Promise<Value> {
  return new Promise((resolve, reject) => call((error, value) => error ? reject(error) : resolve(value!)))
}

/**
 * The content of an open file, which is closed after reading or if it cannot be read. Short content is read into memory
 * first; `undefined` if the file was written to meanwhile. Throws a `RangeError` unless the range lies within the file.
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
    const bytesRead = await file.read(bytes, filled, length - filled, start + filled)
    if (bytesRead === 0) return undefined
    filled += bytesRead
  }
  return await file.isChanged() ? undefined : bytes
}

/**
 * First byte and number of bytes of a range, or of the whole file. Throws a `RangeError` unless the range lies within
 * the file.
 */
export function sliceOf (size: number, range: ByteRange | undefined): { start: number, length: number } {
  if (!range) return { start: 0, length: size }
  const { start, end } = range
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end >= size) {
    throw new RangeError(`The range ${start}-${end} is not within the ${size} bytes of the file`)
  }
  return { start, length: end - start + 1 }
}

/**
 * Streams `length` bytes of an open file, and closes it at the end, after an error or when the stream is destroyed.
 * Fails when the file turns out to be shorter, because the length may already be in the headers of a response.
 *
 * Piped into an HTTP/1 response, it reads all pieces into the same memory, because the response no longer needs a piece
 * after writing it. Allocating memory for each piece takes longer than reading it.
 */
class FileBody extends Readable {
  readonly #file: OpenFile
  readonly #length: number
  #position: number
  #remaining: number
  #pendingRead: Promise<unknown> | undefined

  constructor (file: OpenFile, start: number, length: number) {
    super({ highWaterMark: PIECE })
    this.#file = file
    this.#length = length
    this.#position = start
    this.#remaining = length
  }

  override pipe<Destination extends NodeJS.WritableStream> (
    destination: Destination, options?: { end?: boolean }
  ): Destination {
    const isRead = this.readableDidRead || this.readableFlowing !== null
    if (isRead || options?.end === false || !isPlainResponse(destination)) return super.pipe(destination, options)
    this.#sendTo(destination).catch(error => this.destroy(error))
    return destination
  }

  override _read (size: number): void {
    const buffer = Buffer.allocUnsafe(Math.min(size, this.#remaining))
    this.#readInto(buffer).then(piece => { this.push(piece) }, error => { this.destroy(error) })
  }

  override _destroy (error: Error | null, callback: (error: Error | null) => void): void {
    // Closing during a read could let the read hit another file that got the same descriptor.
    Promise.allSettled([this.#pendingRead])
      .then(async () => await this.#file.close())
      .then(() => callback(error), closeError => callback(error ?? closeError))
  }

  async #sendTo (response: ServerResponse): Promise<void> {
    const memory = Buffer.allocUnsafeSlow(Math.min(PIECE, this.#length))
    for (;;) {
      const piece = await this.#readInto(memory)
      if (this.destroyed) return
      if (piece === null) break
      await new Promise<void>((resolve, reject) => response.write(piece, error => error ? reject(error) : resolve()))
    }
    response.end()
    this.push(null)
    this.resume() // emits `end`
  }

  /** Resolves to the bytes read; `null` at the end. */
  async #readInto (buffer: Buffer): Promise<Buffer | null> {
    if (this.#remaining === 0) return null
    const reading = this.#file.read(buffer, 0, Math.min(buffer.length, this.#remaining), this.#position)
    this.#pendingRead = reading
    const bytesRead = await reading
    if (bytesRead === 0) {
      throw new Error(
        `The file was truncated while it was read: received ${this.#length - this.#remaining} of ${this.#length} bytes`
      )
    }
    this.#position += bytesRead
    this.#remaining -= bytesRead
    return buffer.subarray(0, bytesRead)
  }
}

/** Whether this is an HTTP/1 response whose `write` has not been replaced, for instance to compress the body. */
function isPlainResponse (destination: NodeJS.WritableStream): destination is ServerResponse {
  return destination instanceof ServerResponse && destination.write === ServerResponse.prototype.write
}
