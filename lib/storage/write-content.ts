import type { FileHandle } from 'node:fs/promises'
import { isUint8Array } from 'node:util/types'
import type { Content } from '../../types/storage.js'
import { assertBytes } from '../content.js'
import { createTurns } from '../turns.js'

/** Bytes. Most documents are smaller: for them no larger piece is needed. */
const FIRST_PIECE = 64 * 1024
/** Several such documents may be saved at once, so that these add up. */
const PIECE = 256 * 1024
/** After `FLUSH_AFTER`. */
const LARGE_PIECE = 1024 * 1024

/** Bytes. So much is flushed while more arrives, so that the flush at the end does not begin with everything. */
const FLUSH_AFTER = 16 * 1024 * 1024

/** Threads of libuv's pool, which all operations on files share. Source: the libuv documentation, thread pool work scheduling. */
const POOL_THREADS = Number(process.env.UV_THREADPOOL_SIZE ?? 4) || 1

/**
 * For what keeps a thread of the pool for milliseconds. Some threads are left for others: a small file is read meanwhile. An operation
 * that hangs is not waited for: that may be at a file server, and all others on disks of this machine.
 */
const inTurn = createTurns({ concurrency: Math.max(1, POOL_THREADS - 2), maxRun: 1000 })

/**
 * Writes content to the end of a file, in large pieces, each while the next one arrives. The caller flushes it. Resolves to its size
 * in bytes. When it rejects, nothing is being written any more.
 */
export async function writeContent (handle: FileHandle, content: Content): Promise<number> {
  if (isUint8Array(content)) {
    await writePiece(handle, content)
    return content.length
  }
  let size = 0
  let writing: Promise<void> | undefined
  let flushing: Promise<void> | undefined
  let isFlushing = false
  let unflushed = 0
  try {
    for await (const piece of inPieces(content)) {
      await writing
      size += piece.length
      writing = write(piece)
      writing.catch(() => {}) // awaited before the next piece
    }
  } finally {
    await Promise.allSettled([writing, flushing])
  }
  await writing
  await flushing
  return size

  async function write (piece: Uint8Array): Promise<void> {
    await writePiece(handle, piece)
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
      await inTurn(async () => await handle.datasync())
    } finally {
      isFlushing = false
    }
  }
}

/** Flushes a file with so many bytes, and its attributes. */
export async function flushContent (handle: FileHandle, size: number): Promise<void> {
  await inTurnIfLarge(size, async () => await handle.sync())
}

async function writePiece (handle: FileHandle, piece: Uint8Array): Promise<void> {
  await inTurnIfLarge(piece.length, async () => await handle.writeFile(piece))
}

async function inTurnIfLarge (size: number, operation: () => Promise<void>): Promise<void> {
  await (size < FIRST_PIECE ? operation() : inTurn(operation))
}

/** Yields the bytes in the same two buffers by turns: a piece may be used until the next but one is requested. */
async function * inPieces (content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let buffer: Buffer = Buffer.allocUnsafe(FIRST_PIECE)
  let other: Buffer | undefined
  let filled = 0
  let yielded = 0
  for await (const chunk of content) {
    assertBytes(chunk)
    for (let taken = 0; taken < chunk.length;) {
      const part = chunk.subarray(taken, taken + buffer.length - filled)
      buffer.set(part, filled)
      filled += part.length
      taken += part.length
      if (filled < buffer.length) continue
      yield buffer
      yielded += filled
      filled = 0
      const length = yielded < FLUSH_AFTER ? PIECE : LARGE_PIECE
      ;[buffer, other] = [other?.length === length ? other : Buffer.allocUnsafe(length), buffer]
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled)
}
