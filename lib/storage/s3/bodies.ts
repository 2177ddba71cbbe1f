import { Readable } from 'node:stream'
import { isUint8Array } from 'node:util/types'
import { crc32 } from 'node:zlib'
import type { Content } from '../../../types/storage.js'
import { StorageTimeoutError } from '../../errors.js'
import { assertBytes } from '../../util/streams.js'
import { damagedError, incompleteError, storeError } from './store-errors.js'

const BUFFER_BYTES = 64 * 1024
/** A body that nobody continues to read would hold a connection for longer. */
const MAX_PAUSE_MS = 10 * 60_000

/**
 * The body of an answer. It fails if it is incomplete or differs from what was stored, if it makes no progress while it
 * is being read, or if nobody reads it for ten minutes. A small body is received at once, so that it does not hold a
 * connection until somebody reads it. `checksum`: the value in the headers, if any.
 */
export function streamedBody (
  source: Readable, length: number, timeout: number, checksum: string | undefined
): Readable {
  let received = 0
  let sum = 0
  let timer: NodeJS.Timeout | undefined
  function expectWithin (milliseconds: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => body.destroy(new StorageTimeoutError('GetObject', milliseconds)), milliseconds)
    timer.unref()
  }

  const body = new Readable({
    highWaterMark: BUFFER_BYTES,
    read () {
      expectWithin(timeout)
      source.resume()
    },
    destroy (error, callback) {
      clearTimeout(timer)
      source.destroy()
      callback(error)
    }
  })
  body.on('error', () => {}) // whoever reads it later still gets the error

  source.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (checksum !== undefined) sum = crc32(chunk, sum)
    if (received > length) {
      body.destroy(incompleteError())
    } else if (body.push(chunk)) {
      expectWithin(timeout)
    } else {
      source.pause()
      expectWithin(MAX_PAUSE_MS)
    }
  })
  source.on('end', () => {
    clearTimeout(timer)
    if (received !== length) body.destroy(incompleteError())
    else if (checksum !== undefined && checksum !== checksumText(sum)) body.destroy(damagedError())
    else body.push(null)
  })
  source.on('error', error => { body.destroy(storeError('GetObject', error)) })
  source.on('close', () => { if (!source.readableEnded) body.destroy(incompleteError()) })
  body.read(0)
  return body
}

export interface Part {
  readonly bytes: Buffer
  readonly isLast: boolean
}

const PART_BYTES = 5 * 1024 * 1024

/**
 * The parts of an upload, copied because the owner of a chunk may reuse its buffer. There is always a last part, which
 * may be empty. `size`: total size of all parts so far. `failure`: the error of reading the content itself.
 */
export function partsOf (content: Content) {
  const source = { size: 0, failure: undefined as { readonly error: unknown } | undefined, parts: parts() }
  return source

  async function * parts (): AsyncGenerator<Part, void> {
    let pieces: Buffer[] = []
    let length = 0
    try {
      for await (const chunk of isUint8Array(content) ? [content] : content) {
        assertBytes(chunk)
        for (let start = 0; start < chunk.length;) {
          if (length === PART_BYTES) {
            yield { bytes: Buffer.concat(pieces), isLast: false }
            pieces = []
            length = 0
          }
          const piece = Buffer.from(chunk.subarray(start, start + PART_BYTES - length))
          pieces.push(piece)
          length += piece.length
          start += piece.length
          source.size += piece.length
        }
      }
    } catch (error) {
      source.failure = { error }
      throw error
    }
    yield { bytes: Buffer.concat(pieces), isLast: true }
  }
}

/** The base64 text of a CRC-32 in headers. */
export function checksumText (value: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes.toString('base64')
}
