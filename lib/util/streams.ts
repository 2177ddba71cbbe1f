import { Readable } from 'node:stream'
import { isArrayBuffer, isUint8Array } from 'node:util/types'
import type { StorageContent, DocumentContent } from '../../types/storage.js'
import { InvalidOptionError, TooLargeError, TruncatedContentError } from '../errors.js'
import { kindOf } from './validate.js'

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

/** A stream of the given bytes. */
export function streamOf (bytes: Buffer): Readable {
  return Readable.from([bytes], { objectMode: false })
}

/** Reads a whole stream into memory. */
export async function bytesOf (stream: Readable): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** An iteration that starts with a result that was already taken. Ending it ends the rest, even before it has begun. */
export function resumed<Chunk> (first: IteratorResult<Chunk>, rest: AsyncGenerator<Chunk>): AsyncIterable<Chunk> {
  let taken: IteratorResult<Chunk> | undefined = first
  return {
    [Symbol.asyncIterator]: () => ({
      async next () {
        const result = taken ?? await rest.next()
        taken = undefined
        return result
      },
      return: async value => await rest.return(value)
    })
  }
}

const CONTENT = 'a Uint8Array, such as a Buffer, or a stream of Uint8Arrays'
const DOCUMENT_CONTENT = 'a Uint8Array, such as a Buffer, an ArrayBuffer, a Blob or File, or a stream of Uint8Arrays'

/** Content of a document as the application gave it, in the form that storages take. Throws `InvalidOptionError`. */
export function contentFrom (given: DocumentContent): StorageContent {
  const content: unknown = given instanceof Blob ? given.stream() : isArrayBuffer(given) ? new Uint8Array(given) : given
  return acceptContent(content, { accepted: DOCUMENT_CONTENT })
}

/**
 * Checks content, as far as that is possible before it is read, and defers the errors of a stream. Throws
 * `InvalidOptionError`. What is returned is to be read: it fails with `TruncatedContentError` at the end of a stream
 * that a limit has cut.
 */
export function acceptContent<Given> (
  content: Given, { name = 'content', accepted = CONTENT } = {}
): Given & StorageContent {
  deferErrors(content)
  if (isUint8Array(content)) return content
  if (!isAsyncIterable(content)) throw new InvalidOptionError(name, `must be ${accepted}, not ${kindOf(content)}${typeof content === 'string' ? ': read a file with fs.readFile, encode text with Buffer.from' : ''}`)
  // A stream that was read would seem to be an empty document.
  if (wasRead(content)) throw new InvalidOptionError(name, 'must be a stream that has not been read yet')
  if (content instanceof Readable && content.readableEncoding) {
    throw new InvalidOptionError(
      name,
      'must be a stream of bytes: decoding it as text damages a document, so do not set its encoding'
    )
  }
  return ('truncated' in content ? untruncated(content) : content) as Given & StorageContent
}

/** Parsers of uploads, such as busboy, end a file that reaches their limit as if it were complete, and then say so. */
async function * untruncated (
  content: AsyncIterable<unknown> & { readonly truncated: unknown }
): AsyncGenerator<Uint8Array> {
  yield * content as AsyncIterable<Uint8Array>
  if (content.truncated === true) throw new TruncatedContentError()
}

/** Reads content into memory. Throws `TooLargeError` if it has more bytes than the limit. */
export async function bytesOfContent (content: StorageContent, limit: number): Promise<Uint8Array<ArrayBuffer>> {
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

/** Checks a chunk of content. Throws `InvalidOptionError`. */
export function assertBytes (chunk: unknown): asserts chunk is Uint8Array {
  if (!isUint8Array(chunk)) {
    throw new InvalidOptionError('content', `must be a stream of Uint8Arrays, but contains ${kindOf(chunk)}`)
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
