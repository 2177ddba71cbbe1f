import type { FileHandle } from 'node:fs/promises'
import { isUint8Array } from 'node:util/types'
import type { Content } from '../../types/storage.js'

/** Bytes. Most documents are smaller: for them no larger piece is needed. */
const FIRST_PIECE = 64 * 1024
const PIECE = 1024 * 1024

/** Bytes. So much is flushed while more arrives, so that the flush at the end does not begin with everything. */
const FLUSH_AFTER = 16 * 1024 * 1024

/**
 * Writes content to the end of a file, in large pieces, each while the next one arrives. The caller flushes it. When it rejects,
 * nothing is being written any more.
 */
export async function writeContent (handle: FileHandle, content: Content): Promise<void> {
  if (content instanceof Uint8Array) return await handle.writeFile(content)
  let writing: Promise<void> | undefined
  let flushing: Promise<void> | undefined
  let isFlushing = false
  let unflushed = 0
  try {
    for await (const piece of inPieces(content)) {
      await writing
      writing = write(piece)
      writing.catch(() => {}) // awaited before the next piece
    }
  } finally {
    await Promise.allSettled([writing, flushing])
  }
  await writing
  await flushing

  async function write (piece: Uint8Array): Promise<void> {
    await handle.writeFile(piece)
    unflushed += piece.length
    if (unflushed < FLUSH_AFTER || isFlushing) return
    unflushed = 0
    flushing = flush(flushing)
    flushing.catch(() => {}) // awaited at the end
  }

  /** A failure must be kept: a later flush need not report it again. */
  async function flush (previous: Promise<void> | undefined): Promise<void> {
    isFlushing = true
    try {
      await previous
      await handle.datasync()
    } finally {
      isFlushing = false
    }
  }
}

/** Yields the bytes in the same two buffers by turns: a piece may be used until the next but one is requested. */
async function * inPieces (content: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  let buffer: Buffer = Buffer.allocUnsafe(FIRST_PIECE)
  let other: Buffer | undefined
  let filled = 0
  for await (const chunk of content) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    if (!isUint8Array(bytes)) throw new TypeError('The content must consist of Uint8Arrays')
    for (let taken = 0; taken < bytes.length;) {
      const part = bytes.subarray(taken, taken + buffer.length - filled)
      buffer.set(part, filled)
      filled += part.length
      taken += part.length
      if (filled < buffer.length) continue
      yield buffer
      ;[buffer, other] = [other ?? Buffer.allocUnsafe(PIECE), buffer.length === PIECE ? buffer : undefined]
      filled = 0
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled)
}
