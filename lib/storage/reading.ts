import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ByteRange } from '../../types/storage.js'

/** O_NOFOLLOW: follow no symbolic link. O_NONBLOCK: do not wait for the writer of a pipe. Windows has neither. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

const CHUNK_BYTES = 64 * 1024

/** Opens a file for reading; `undefined` when it does not exist or is not a regular file. */
export async function openRegularFile (path: string): Promise<{ handle: FileHandle, stats: BigIntStats } | undefined> {
  let handle: FileHandle
  try {
    handle = await open(path, OPEN_FLAGS)
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
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

/** First byte and number of bytes of a range, or of the whole file. Throws a `RangeError` unless the range lies within the file. */
export function sliceOf (size: number, range: ByteRange | undefined): { start: number, length: number } {
  if (!range) return { start: 0, length: size }
  const { start, end } = range
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end >= size) {
    throw new RangeError(`The range ${start}-${end} is not within the ${size} bytes of the file`)
  }
  return { start, length: end - start + 1 }
}

/**
 * Streams `length` bytes of an open file, and closes it at the end, after an error or when the stream is destroyed. Fails
 * when the file turns out to be shorter, because the length may already be in the headers of a response.
 */
export function fileBody (handle: FileHandle, start: number, length: number): Readable {
  let position = start
  let remaining = length
  let pendingRead: Promise<void> | undefined

  return new Readable({
    highWaterMark: CHUNK_BYTES,
    read (size) {
      pendingRead = readChunk(Math.min(size, remaining)).then(chunk => { this.push(chunk) }, error => { this.destroy(error) })
    },
    destroy (error, callback) {
      // Closing during a read could let the read hit another file that got the same descriptor.
      Promise.resolve(pendingRead)
        .then(() => handle.close())
        .then(() => callback(error), closeError => callback(error ?? closeError))
    }
  })

  async function readChunk (size: number): Promise<Buffer | null> {
    if (remaining === 0) return null
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(size), 0, size, position)
    if (bytesRead === 0) throw new Error(`The file was truncated while it was read: received ${length - remaining} of ${length} bytes`)
    position += bytesRead
    remaining -= bytesRead
    return buffer.subarray(0, bytesRead)
  }
}
