import { UpstreamError } from '../errors.js'
import { finalFailure } from '../outbound/final-failure.js'

const ZIP = Buffer.from('504b0304', 'hex')
const ZIP_END = Buffer.from('504b0506', 'hex')
/** The record at the end of a zip file and the longest comment that may follow it. */
const ZIP_END_REACH = 22 + 65_535
/** What an Office Open XML file that is protected by a password is in. Source: MS-OFFCRYPTO. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const PDF = Buffer.from('%PDF-')
const RTF = Buffer.from('{\\rtf')

const OFFICE_OPEN_XML = /^(doc|dot|xls|xlt|ppt|pot|pps)[xm]$|^xlsb$|^vsd[xm]$/
/** Also saved as Office Open XML by document servers that do not say so. */
const COMPOUND_FILES = /^(doc|dot|xls|xlt|ppt|pot|pps|vsd|wps|wpt|et|ett|dps|dpt)$/
const ZIP_FILES = /^(o[dt][tspg]|sx[wci]|st[wci]|epub|pages|numbers|key|hwpx|xps|oxps)$/
const HTML = /^(s?html?|mht|mhtml|xml|fb2)$/
const TEXT = /^(txt|csv|md|json)$/

const ENOUGH_BYTES = 512

interface Expected {
  /** As the document server announced it; an older one announces none. */
  readonly filetype: string | undefined
  /** Of the stored file. */
  readonly extension: string
  readonly mediaType: string | undefined
  /** Bytes, when the document server announced them. */
  readonly length: number | undefined
}

/**
 * Passes content on if it looks like the announced format, or where none is announced like the stored one: a whole zip
 * container for Office Open XML and OpenDocument (or the container of an encrypted one), `%PDF-` for PDF, and for anything else
 * neither an error page, because servers on the way answer with those, nor nothing at all. Only an empty text that is announced
 * as one is taken for empty. Errors with `UpstreamError`: before the first byte is passed on, or after the last when a zip
 * container was cut off by someone who announced that as the whole.
 */
export async function * checkedContent (content: AsyncIterable<Uint8Array>, expected: Expected): AsyncGenerator<Uint8Array> {
  const { filetype, extension } = expected
  const format = filetype ?? extension
  let start = Buffer.alloc(0)
  let end: Buffer = Buffer.alloc(0)
  let isChecked = false
  for await (const chunk of content) {
    end = lastOf(end, chunk)
    if (isChecked) {
      yield chunk
      continue
    }
    start = Buffer.concat([start, chunk])
    if (start.length < ENOUGH_BYTES) continue
    assertLike(start, format, expected)
    isChecked = true
    yield start
  }
  if (!isChecked) {
    assertLike(start, format, expected)
    yield start
  }
  if (isContainer(format) && begins(start, ZIP) && end.lastIndexOf(ZIP_END) === -1) throw new UpstreamError(`the ${format} file it sent is cut off`)
}

function lastOf (end: Buffer, chunk: Uint8Array): Buffer {
  return chunk.length >= ZIP_END_REACH ? Buffer.from(chunk.subarray(-ZIP_END_REACH)) : Buffer.concat([end, chunk]).subarray(-ZIP_END_REACH)
}

function assertLike (start: Buffer, format: string, expected: Expected): void {
  if (isLike(start, format, expected)) return
  const found = start.length === 0 ? 'empty' : `not ${format}${isHtml(start) ? ' but a page in HTML' : ''}`
  throw finalFailure(new UpstreamError(`what it sent is ${found}`))
}

function isLike (start: Buffer, format: string, { filetype, mediaType, length }: Expected): boolean {
  if (start.length === 0) return TEXT.test(format) && filetype !== undefined && length === 0
  if (OFFICE_OPEN_XML.test(format) || COMPOUND_FILES.test(format)) return begins(start, ZIP) || begins(start, COMPOUND_FILE)
  if (ZIP_FILES.test(format)) return begins(start, ZIP)
  if (format === 'pdf') return begins(start, PDF)
  if (format === 'rtf') return begins(start, RTF) || (filetype === undefined && begins(start, ZIP)) // older document servers save it as docx
  // A text may begin with a tag: there it is an error page only if it is sent as one.
  if (TEXT.test(format)) return !isErrorAnswer(start, format, mediaType)
  return HTML.test(format) || !isHtml(start)
}

function isContainer (format: string): boolean {
  return OFFICE_OPEN_XML.test(format) || COMPOUND_FILES.test(format) || ZIP_FILES.test(format)
}

function begins (start: Buffer, signature: Buffer): boolean {
  return start.subarray(0, signature.length).equals(signature)
}

function isErrorAnswer (start: Buffer, format: string, mediaType = ''): boolean {
  return (isHtml(start) && /^text\/html\b/i.test(mediaType)) || (format !== 'json' && /^application\/(\w+\+)?json\b/i.test(mediaType))
}

function isHtml (start: Buffer): boolean {
  return /^\uFEFF?\s*<(!doctype html|html|head|body)\b/i.test(start.toString('utf8'))
}
