import { UpstreamError } from '../errors.js'
import { hasZipEnd, isHtml, isPlainText, isZip, matchesSignature, SIGNATURE_REACH, ZIP_END_REACH } from './file-signatures.js'
import { inspected } from './inspect.js'

interface Announced {
  /** Format of the bytes; older document servers do not announce it. */
  readonly filetype: string | undefined
  /** Extension of the stored file, which counts when no format is announced. */
  readonly extension: string
  readonly mediaType: string | undefined
  /** Size in bytes. */
  readonly length: number | undefined
  /** Makes the error for other content. Default: an `UpstreamError` that is not retryable. */
  readonly mismatchError?: (found: string) => Error
}

/**
 * Passes on content that looks like the announced format, or without one like the stored file's. Rejects with `mismatchError`
 * before the first byte when the content is empty, an error page or of another format; and with `UpstreamError` after the last
 * byte when a zip file has no end record, because it was truncated before it reached the server that announced its length. Only
 * plain text may be empty, if it is announced as such.
 */
export async function * checkedContent (content: AsyncIterable<Uint8Array>, announced: Announced): AsyncGenerator<Uint8Array> {
  const format = announced.filetype ?? announced.extension
  yield * inspected(content, {
    startReach: SIGNATURE_REACH,
    endReach: ZIP_END_REACH,
    atStart: start => assertMatch(start, format, announced),
    atEnd ({ start, end }) {
      if (isZip(start, format) && !hasZipEnd(end)) throw new UpstreamError(`the ${format} file is truncated`)
    }
  })
}

function assertMatch (start: Buffer, format: string, announced: Announced): void {
  if (isMatch(start, format, announced)) return
  const found = start.length === 0 ? 'empty' : `not ${format}${isHtml(start) ? ' but an HTML page' : ''}`
  throw announced.mismatchError?.(found) ?? new UpstreamError(`the response is ${found}`, { retryable: false })
}

function isMatch (start: Buffer, format: string, { filetype, mediaType, length }: Announced): boolean {
  if (start.length === 0) return isPlainText(format) && filetype !== undefined && length === 0
  // Text may begin with a tag: it is an error page only if it is sent as one.
  if (isPlainText(format)) return !isErrorResponse(start, format, mediaType)
  // Older document servers announce no format, and save RTF as docx.
  return matchesSignature(start, format) || (format === 'rtf' && filetype === undefined && isZip(start, 'docx'))
}

function isErrorResponse (start: Buffer, format: string, mediaType = ''): boolean {
  return (isHtml(start) && /^text\/html\b/i.test(mediaType)) || (format !== 'json' && /^application\/(\w+\+)?json\b/i.test(mediaType))
}
