import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

/** Bytes that are read at once. A client that takes longer for them than `timeouts.idle` seems to have stopped reading. */
const PIECE = 64 * 1024

/** What a body is read from, such as a `FileHandle`. */
export interface Source {
  read (buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>
  close (): Promise<void>
}

/**
 * Streams `length` bytes of an open file, and closes it at the end, after an error or when the stream is destroyed. Fails
 * when the file turns out to be shorter, because the length may already be in the headers of a response.
 *
 * Piped into a response of HTTP/1 it reads all pieces into the same memory: when a response has written a piece, it does not need it
 * any more. Allocating memory for each takes longer than reading it.
 */
export class FileBody extends Readable {
  readonly #file: Source
  readonly #length: number
  #position: number
  #remaining: number
  #pendingRead: Promise<unknown> | undefined

  constructor (file: Source, start: number, length: number) {
    super({ highWaterMark: PIECE })
    this.#file = file
    this.#length = length
    this.#position = start
    this.#remaining = length
  }

  override pipe<Destination extends NodeJS.WritableStream> (destination: Destination, options?: { end?: boolean }): Destination {
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

  /** Resolves to what was read; `null` at the end. */
  async #readInto (buffer: Buffer): Promise<Buffer | null> {
    if (this.#remaining === 0) return null
    const reading = this.#file.read(buffer, 0, Math.min(buffer.length, this.#remaining), this.#position)
    this.#pendingRead = reading
    const { bytesRead } = await reading
    if (bytesRead === 0) throw new Error(`The file was truncated while it was read: received ${this.#length - this.#remaining} of ${this.#length} bytes`)
    this.#position += bytesRead
    this.#remaining -= bytesRead
    return buffer.subarray(0, bytesRead)
  }
}

/** Of HTTP/1, and not one whose `write` somebody has replaced, as to compress what is written. */
function isPlainResponse (destination: NodeJS.WritableStream): destination is ServerResponse {
  return destination instanceof ServerResponse && destination.write === ServerResponse.prototype.write
}
