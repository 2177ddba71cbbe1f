import { UpstreamError } from '../errors.js'
import { assertBytes } from '../util/streams.js'
import {
  DIRECTORY_REACH, hasPartsOf, hasZipEnd, isBinary, isHtml, isHtmlFormat, isPlainText, isText, isZip,
  matchesOpenedSignature, matchesSignature, namesInZip, SIGNATURE_REACH, ZIP_END_REACH
} from './file-signatures.js'
import { mediaTypeOf } from './formats.js'

interface Announced {
  /** Format of the bytes; older document servers do not announce it. */
  readonly filetype: string | undefined
  /** Extension of the stored file, used if no format is announced. */
  readonly extension: string
  readonly mediaType: string | undefined
  /** Size in bytes. */
  readonly length: number | undefined
  /** Whether a page, not the document server, has announced the format. */
  readonly namedByPage?: boolean
  /** Makes the error for other content. Default: an `UpstreamError` that is not retryable. */
  readonly mismatchError?: (found: string) => Error
}

/**
 * Passes on content that looks like the announced format, or without one like the stored file's. Rejects with
 * `mismatchError` before the first byte if the content is empty, an error page or of another format, and with
 * `UpstreamError` after the last byte if a zip file has no end record, because it was truncated before it reached the
 * server that announced its length. Only plain text may be empty, if it is announced as such.
 *
 * If a page has announced the format, a package must also have that format's parts; otherwise it fails after the last
 * byte. Text may then be plain text whatever it contains, and HTML or other markup only if the document server says so.
 */
export async function * checkedContent (
  content: AsyncIterable<Uint8Array>, announced: Announced
): AsyncGenerator<Uint8Array> {
  const format = announced.filetype ?? announced.extension
  yield * inspected(content, {
    startReach: SIGNATURE_REACH,
    endReach: announced.namedByPage ? DIRECTORY_REACH : ZIP_END_REACH,
    atStart: start => assertMatch(start, format, announced),
    atEnd (content) {
      const { start, end } = content
      if (!isZip(start, format)) return
      if (!hasZipEnd(end)) throw new UpstreamError(`the ${format} file is truncated`)
      if (announced.namedByPage && !hasParts(content, format)) throw mismatch(`not ${format}`, announced)
    }
  })
}

function assertMatch (start: Buffer, format: string, announced: Announced): void {
  if (isMatch(start, format, announced)) return
  const found = start.length === 0 ? 'empty' : `not ${format}${isHtml(start) ? ' but an HTML page' : ''}`
  throw mismatch(found, announced)
}

function mismatch (found: string, { mismatchError }: Announced): Error {
  return mismatchError?.(found) ?? new UpstreamError(`the response is ${found}`, { retryable: false })
}

function isMatch (
  start: Buffer, format: string, { filetype, mediaType, length, namedByPage = false }: Announced
): boolean {
  if (start.length === 0) return isPlainText(format) && filetype !== undefined && length === 0
  if (namedByPage && !isAsSaid(start, format, mediaType)) return false
  // Text may begin with a tag. It is an error page only if it is sent as HTML.
  if (isPlainText(format)) return !isErrorResponse(start, format, mediaType)
  // Older document servers announce no format, and save RTF as docx.
  return matchesSignature(start, format) || (format === 'rtf' && filetype === undefined && isZip(start, 'docx'))
}

/** Whether the content and the document server's media type allow the format that a page has announced. */
function isAsSaid (start: Buffer, format: string, mediaType = ''): boolean {
  if (!isText(format)) return matchesOpenedSignature(start, format)
  if (isBinary(start)) return false
  if (isPlainText(format) || format === 'rtf') return true
  const said = essenceOf(mediaType)
  if (said === essenceOf(mediaTypeOf(format))) return true
  // Any text can be HTML, and few servers name the media types of other markup.
  return !isHtmlFormat(format) && (said === 'application/octet-stream' || said.endsWith('xml'))
}

function hasParts ({ end, length }: InspectedContent, format: string): boolean {
  const names = namesInZip(end, length)
  return typeof names === 'string' || hasPartsOf(format, names)
}

/** A media type without parameters. */
function essenceOf (mediaType: string): string {
  return mediaType.split(';', 1)[0]!.trim().toLowerCase()
}

function isErrorResponse (start: Buffer, format: string, mediaType = ''): boolean {
  return (isHtml(start) && /^text\/html\b/i.test(mediaType)) ||
    (format !== 'json' && /^application\/(\w+\+)?json\b/i.test(mediaType))
}

export interface Inspection {
  /** Number of bytes at the beginning that `atStart` needs, if there are so many. */
  readonly startReach: number
  /** Number of bytes at the end that `atEnd` gets, if there are so many. */
  readonly endReach: number
  /** Called before the first byte is passed on. Throws if the content is refused. */
  atStart (start: Buffer): void
  /** Called after the last byte was passed on. Throws if the content is to fail. */
  atEnd (content: InspectedContent): void
}

export interface InspectedContent {
  /** The first bytes, at least `startReach` if there are so many. */
  readonly start: Buffer
  /** The last bytes, at least `endReach` if there are so many. */
  readonly end: Buffer
  /** Size in bytes. */
  readonly length: number
}

/** Passes content on and looks at its first and last bytes. */
export async function * inspected (
  content: AsyncIterable<Uint8Array>, { startReach, endReach, atStart, atEnd }: Inspection
): AsyncGenerator<Uint8Array> {
  const tail = createTail(endReach)
  let start = Buffer.alloc(0)
  let length = 0
  let hasStarted = false
  for await (const chunk of content) {
    assertBytes(chunk)
    tail.add(chunk)
    length += chunk.length
    if (hasStarted) {
      yield chunk
      continue
    }
    start = Buffer.concat([start, chunk])
    if (start.length < startReach) continue
    atStart(start)
    hasStarted = true
    yield start
  }
  if (!hasStarted) {
    atStart(start)
    yield start
  }
  atEnd({ start, end: tail.bytes(), length })
}

/** Keeps copies of the last bytes that were added: a chunk of one byte may belong to a buffer of 64 KiB. */
function createTail (reach: number) {
  const buffer = Buffer.allocUnsafe(2 * reach)
  let filled = 0
  return {
    add (chunk: Uint8Array): void {
      const added = chunk.length > reach ? chunk.subarray(-reach) : chunk
      if (filled + added.length > buffer.length) {
        buffer.copyWithin(0, filled - reach, filled)
        filled = reach
      }
      buffer.set(added, filled)
      filled += added.length
    },
    bytes: (): Buffer => buffer.subarray(0, filled)
  }
}
