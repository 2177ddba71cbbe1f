import { Readable } from 'node:stream'

/**
 * Keeps the error of a stream that is not read yet from ending the process. A later reader still gets the error.
 * Content that is not a stream is returned unchanged.
 */
export function deferErrors<Content> (content: Content): Content {
  // A stream without autoDestroy would emit its error, go on, and seem complete to a late reader.
  if (content instanceof Readable) content.on('error', error => { content.destroy(error) })
  return content
}

/** Destroys a stream that will not be read, and ignores its errors. */
export function discard (stream: Readable): void {
  stream.on('error', () => {})
  stream.destroy()
}

/** Streams of which all bytes are in memory. */
const arrived = new WeakSet<Readable>()
const NO_BYTES = Buffer.alloc(0)

/** Ends a stream that its owner pushes bytes into. */
export function endArrived (stream: Readable): void {
  arrived.add(stream)
  stream.push(null)
}

/** A stream of these bytes. */
export function streamOf (bytes: Buffer): Readable {
  const stream = new Readable({ read () {} })
  stream.push(bytes)
  endArrived(stream)
  return stream
}

/** Whether all bytes of a stream have arrived, and nobody has read any. Such a stream cannot fail any more. */
export function hasArrived (stream: Readable): boolean {
  return arrived.has(stream) && !stream.readableDidRead && !stream.destroyed
}

/** Reads all bytes of a stream that has arrived; `undefined` for any other. */
export function arrivedBytes (stream: Readable): Buffer | undefined {
  return hasArrived(stream) ? stream.read() ?? NO_BYTES : undefined
}

/** Reads a whole stream into memory. */
export async function bytesOf (stream: Readable): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
