import { UpstreamError } from '../errors.js'
import { finalFailure } from '../outbound/final-failure.js'

const ZIP = Buffer.from('504b0304', 'hex')
const ZIP_END = Buffer.from('504b0506', 'hex')
/** The record at the end of a zip file and the longest comment that may follow it. */
const ZIP_END_REACH = 22 + 65_535
/** What an Office Open XML file that is protected by a password is in. Source: MS-OFFCRYPTO. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const PDF = Buffer.from('%PDF-')

const OFFICE_OPEN_XML = /^(doc|dot|xls|xlt|ppt|pot|pps)[xm]$|^xlsb$|^vsd[xm]$/
const OPEN_DOCUMENT = /^o[dt][tsp]$/
const HTML = /^(s?html?|mht|mhtml|xml)$/
const TEXT = /^(txt|csv|md|json)$/

const ENOUGH_BYTES = 512

interface Expected {
  /** As the document server announced it; an older one announces none. */
  readonly filetype: string | undefined
  /** Of the stored file. */
  readonly extension: string
  readonly mediaType: string | undefined
}

/**
 * Passes content on if it looks like the announced format: a whole zip container for Office Open XML and OpenDocument (or
 * the container of an encrypted one), `%PDF-` for PDF, and for anything else neither an HTML page, because servers on the
 * way answer with those, nor nothing at all. Where no format is announced only such a page is refused. Errors with
 * `UpstreamError`: before the first byte is passed on, or after the last when a zip container was cut off by someone who
 * announced that as the whole.
 */
export async function * checkedContent (content: AsyncIterable<Uint8Array>, { filetype, extension, mediaType }: Expected): AsyncGenerator<Uint8Array> {
  let start = Buffer.alloc(0)
  let end: Buffer = Buffer.alloc(0)
  let isChecked = false
  const isContainer = filetype !== undefined && (OFFICE_OPEN_XML.test(filetype) || OPEN_DOCUMENT.test(filetype))
  const assertExpected = () => {
    if (filetype !== undefined) assertLike(start, filetype, mediaType)
    else if (!HTML.test(extension) && isErrorPage(start, mediaType)) throw finalFailure(new UpstreamError('what it sent is a page in HTML'))
  }
  for await (const chunk of content) {
    if (isContainer) end = lastOf(end, chunk)
    if (isChecked) {
      yield chunk
      continue
    }
    start = Buffer.concat([start, chunk])
    if (start.length < ENOUGH_BYTES) continue
    assertExpected()
    isChecked = true
    yield start
  }
  if (!isChecked) {
    assertExpected()
    yield start
  }
  if (isContainer && isZip(start) && end.lastIndexOf(ZIP_END) === -1) throw new UpstreamError(`the ${filetype} file it sent is cut off`)
}

function lastOf (end: Buffer, chunk: Uint8Array): Buffer {
  return chunk.length >= ZIP_END_REACH ? Buffer.from(chunk.subarray(-ZIP_END_REACH)) : Buffer.concat([end, chunk]).subarray(-ZIP_END_REACH)
}

function isZip (start: Buffer): boolean {
  return start.subarray(0, ZIP.length).equals(ZIP)
}

function assertLike (start: Buffer, format: string, mediaType: string | undefined): void {
  if (isLike(start, format, mediaType)) return
  throw finalFailure(new UpstreamError(`what it sent is not ${format}${isHtml(start) ? ' but a page in HTML' : ''}`))
}

function isLike (start: Buffer, format: string, mediaType: string | undefined): boolean {
  const begins = (signature: Buffer) => start.subarray(0, signature.length).equals(signature)
  if (OFFICE_OPEN_XML.test(format)) return isZip(start) || begins(COMPOUND_FILE)
  if (OPEN_DOCUMENT.test(format)) return isZip(start)
  if (format === 'pdf') return begins(PDF)
  // A text may well be empty, or begin with a tag: there it is an error page only if it is sent as one.
  if (TEXT.test(format)) return !isErrorPage(start, mediaType)
  return start.length > 0 && (HTML.test(format) || !isHtml(start))
}

function isErrorPage (start: Buffer, mediaType = ''): boolean {
  return isHtml(start) && /^text\/html\b/i.test(mediaType)
}

function isHtml (start: Buffer): boolean {
  return /^\uFEFF?\s*<(!doctype html|html|head|body)\b/i.test(start.toString('utf8'))
}
