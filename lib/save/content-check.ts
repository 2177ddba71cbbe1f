import { UpstreamError } from '../errors.js'
import { finalFailure } from '../outbound/final-failure.js'

const ZIP = Buffer.from('504b0304', 'hex')
/** What an Office Open XML file that is protected by a password is in. Source: MS-OFFCRYPTO. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const PDF = Buffer.from('%PDF-')

const OFFICE_OPEN_XML = /^(doc|dot|xls|xlt|ppt|pot|pps)[xm]$|^xlsb$|^vsd[xm]$/
const OPEN_DOCUMENT = /^o[dt][tsp]$/
const HTML = /^(s?html?|mht|mhtml|xml)$/
const TEXT = /^(txt|csv|md|json)$/

const ENOUGH_BYTES = 512

/**
 * Passes content on if it begins like the announced format: a zip container for Office Open XML and OpenDocument (or
 * the container of an encrypted one), `%PDF-` for PDF, and for anything else neither an HTML page, because servers on the
 * way answer with those, nor nothing at all. Errors with `UpstreamError` before the first byte is passed on.
 */
export async function * checkedContent (content: AsyncIterable<Uint8Array>, format: string | undefined, mediaType: string | undefined): AsyncGenerator<Uint8Array> {
  let start = Buffer.alloc(0)
  let isChecked = format === undefined
  for await (const chunk of content) {
    if (isChecked) {
      yield chunk
      continue
    }
    start = Buffer.concat([start, chunk])
    if (start.length < ENOUGH_BYTES) continue
    assertLike(start, format!, mediaType)
    isChecked = true
    yield start
  }
  if (isChecked) return
  assertLike(start, format!, mediaType)
  yield start
}

function assertLike (start: Buffer, format: string, mediaType: string | undefined): void {
  if (isLike(start, format, mediaType)) return
  throw finalFailure(new UpstreamError(`what it sent is not ${format}${isHtml(start) ? ' but a page in HTML' : ''}`))
}

function isLike (start: Buffer, format: string, mediaType = ''): boolean {
  const begins = (signature: Buffer) => start.subarray(0, signature.length).equals(signature)
  if (OFFICE_OPEN_XML.test(format)) return begins(ZIP) || begins(COMPOUND_FILE)
  if (OPEN_DOCUMENT.test(format)) return begins(ZIP)
  if (format === 'pdf') return begins(PDF)
  // A text may well be empty, or begin with a tag: there it is an error page only if it is sent as one.
  if (TEXT.test(format)) return !isHtml(start) || !/^text\/html\b/i.test(mediaType)
  return start.length > 0 && (HTML.test(format) || !isHtml(start))
}

function isHtml (start: Buffer): boolean {
  return /^\uFEFF?\s*<(!doctype html|html|head|body)\b/i.test(start.toString('utf8'))
}
