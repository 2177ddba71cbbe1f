import { UpstreamError } from '../errors.js'
import {
  hasZipEnd, isBinary, isHtml, isHtmlFormat, isPlainText, isText, isZip, matchesOpenedSignature, matchesSignature,
  SIGNATURE_REACH, ZIP_END_REACH
} from './file-signatures.js'
import { mediaTypeOf } from './formats.js'
import {
  DIRECTORY_REACH, hasPartsOf, inspected, type InspectedContent, namesOtherFormat, readZipDirectory
} from './inspect.js'

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
  content: AsyncIterable<Uint8Array>,
  announced: Announced
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
  start: Buffer,
  format: string,
  { filetype, mediaType, length, namedByPage = false }: Announced
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
  if (!isText(format)) {
    return matchesOpenedSignature(start, format) && !(isZip(start, format) && namesOtherFormat(start, format))
  }
  if (isBinary(start)) return false
  if (isPlainText(format) || format === 'rtf') return true
  const said = essenceOf(mediaType)
  if (said === essenceOf(mediaTypeOf(format))) return true
  // Any text can be HTML, and few servers name the media types of other markup.
  return !isHtmlFormat(format) && (said === 'application/octet-stream' || said.endsWith('xml'))
}

function hasParts ({ end, length }: InspectedContent, format: string): boolean {
  const directory = readZipDirectory(end, length)
  return directory.state !== 'read' || hasPartsOf(format, directory.names)
}

/** A media type without parameters. */
function essenceOf (mediaType: string): string {
  return mediaType.split(';', 1)[0]!.trim().toLowerCase()
}

function isErrorResponse (start: Buffer, format: string, mediaType = ''): boolean {
  return (isHtml(start) && /^text\/html\b/i.test(mediaType)) ||
    (format !== 'json' && /^application\/(\w+\+)?json\b/i.test(mediaType))
}
