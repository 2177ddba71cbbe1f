import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'

/**
 * Streams `length` bytes of an open file and closes it at the end, on an error or when destroyed. Errors when the file
 * turns out to be shorter: a promised length is kept or the reader is told.
 */
export function fileBody (handle: FileHandle, start: number, length: number): Readable {
  let position = start
  let remaining = length
  let reading: Promise<void> | undefined

  return new Readable({
    highWaterMark: 64 * 1024,
    read (size) {
      reading = readChunk(Math.min(size, remaining)).then(chunk => { this.push(chunk) }, error => { this.destroy(error) })
    },
    destroy (error, callback) {
      // The descriptor of a read that is under way must not be given to another file.
      Promise.resolve(reading)
        .then(() => handle.close())
        .then(() => callback(error), closeError => callback(error ?? closeError))
    }
  })

  async function readChunk (size: number): Promise<Buffer | null> {
    if (remaining === 0) return null
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(size), 0, size, position)
    if (bytesRead === 0) throw new Error(`The file was cut short while it was read: ${remaining} bytes are missing`)
    position += bytesRead
    remaining -= bytesRead
    return buffer.subarray(0, bytesRead)
  }
}
