import { Readable } from 'node:stream'
import { isArrayBuffer, isUint8Array } from 'node:util/types'
import type { Content, DocumentContent } from '../../types/storage.js'
import { InvalidOptionError, TooLargeError } from '../errors.js'
import { kindOf } from './validate.js'
import { deferErrors } from './streams.js'

const CONTENT = 'a Uint8Array, such as a Buffer, or a stream of Uint8Arrays'
const DOCUMENT_CONTENT = 'a Uint8Array, such as a Buffer, an ArrayBuffer, a Blob or File, or a stream of Uint8Arrays'

/** What an application gives for the content of a document, as storages take it. Throws `InvalidOptionError`. */
export function contentFrom (given: DocumentContent): Content {
  const content: unknown = given instanceof Blob ? given.stream() : isArrayBuffer(given) ? new Uint8Array(given) : given
  acceptContent(content, { accepted: DOCUMENT_CONTENT })
  return content
}

/**
 * Checks content, as far as that is possible before it is read, and defers the errors of a stream. Throws
 * `InvalidOptionError`.
 */
export function acceptContent (
  content: unknown,
  { name = 'content', accepted = CONTENT } = {}
): asserts content is Content {
  deferErrors(content)
  if (isUint8Array(content)) return
  if (!isAsyncIterable(content)) throw new InvalidOptionError(name, `must be ${accepted}, not ${kindOf(content)}${typeof content === 'string' ? ': read a file with fs.readFile, encode text with Buffer.from' : ''}`)
  // It would seem to be an empty document.
  if (wasRead(content)) throw new InvalidOptionError(name, 'must be a stream that has not been read yet')
  if (content instanceof Readable && content.readableEncoding) {
    throw new InvalidOptionError(
      name,
      'must be a stream of bytes: decoding it as text damages a document, so do not set its encoding'
    )
  }
}

/** Reads content into memory. Throws `TooLargeError` for more than the limit in bytes. */
export async function bytesOfContent (content: Content, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of isUint8Array(content) ? [content] : content) {
    assertBytes(chunk)
    size += chunk.length
    if (size > limit) throw new TooLargeError(limit)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Checks a part of content. Throws `InvalidOptionError`. */
export function assertBytes (chunk: unknown): asserts chunk is Uint8Array {
  if (!isUint8Array(chunk)) {
    throw new InvalidOptionError('content', `must be a stream of Uint8Arrays, but has ${kindOf(chunk)} in it`)
  }
}

function isAsyncIterable (value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null &&
    typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function'
}

function wasRead (stream: AsyncIterable<unknown>): boolean {
  if (stream instanceof Readable) return stream.readableEnded && stream.errored === null
  return stream instanceof ReadableStream && (stream.locked || Readable.isDisturbed(stream as never))
}
