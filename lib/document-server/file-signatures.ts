// How files begin and end, by format.
import { isHtml } from '../util/text.js'
import { PART_BYTES, STORED } from '../util/zip.js'
import { mediaTypeOf } from './formats.js'

const ZIP = Buffer.from('504b0304', 'hex')
/** Container of a password-protected Office Open XML file. Source: MS-OFFCRYPTO. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const PDF = Buffer.from('%PDF-')
const PDF_END = Buffer.from('%%EOF')
/** Signatures by format. A GIF file has one of two versions, a TIFF file one of two byte orders. */
const SIGNATURES: Readonly<Record<string, readonly Buffer[]>> = {
  bmp: [Buffer.from('BM')],
  gif: [Buffer.from('GIF87a'), Buffer.from('GIF89a')],
  jpg: [Buffer.from('ffd8ff', 'hex')],
  png: [Buffer.from('89504e470d0a1a0a', 'hex')],
  tiff: [Buffer.from('49492a00', 'hex'), Buffer.from('4d4d002a', 'hex')]
}

/** Signatures of formats that the document server opens and never saves. */
const ONLY_OPENED: Readonly<Record<string, readonly Buffer[]>> = {
  djvu: [Buffer.from('AT&TFORM')],
  hwp: [COMPOUND_FILE, Buffer.from('HWP Document File')]
}

const OFFICE_OPEN_XML = /^(doc|dot|xls|xlt|ppt|pot|pps|vsd|vss|vst)[xm]$|^xlsb$|^docxf$|^oform$/
/** Some document servers save these formats as Office Open XML without saying so. */
const COMPOUND_FILES = /^(doc|dot|xls|xlt|ppt|pot|pps|vsd|wps|wpt|et|ett|dps|dpt)$/
const OTHER_ZIP_FILES = /^(o[dt][tspg]|sx[wci]|st[wci]|epub|pages|numbers|key|hwpx|xps|oxps|zip)$/
const HTML = /^(s?html?|mht|mhtml|xml|fb2)$/
const TEXT = /^(txt|csv|tsv|scsv|md|json)$/
const MARKUP = /^(rtf|hml|fod[tsp])$/
const UTF_16 = [Buffer.from('fffe', 'hex'), Buffer.from('feff', 'hex')]

const PDF_REACH = 1024

/** Number of bytes at the beginning of a file that identify its format. */
export const signatureReach = (format: string): number => format === 'pdf' ? PDF_REACH : 512

/**
 * Whether a file that begins with these bytes can have a format. For formats without a signature only HTML pages are
 * excluded: a server in between may have sent an error page instead of the file.
 */
export function matchesSignature (start: Buffer, format: string): boolean {
  if (format === 'pdf') return start.subarray(0, PDF_REACH).includes(PDF) && !isHtml(start)
  if (format === 'rtf') return isRtf(start)
  // Word has always written RTF under this name, too.
  if (/^do[ct]$/.test(format) && isRtf(start)) return true
  if (OFFICE_OPEN_XML.test(format) || COMPOUND_FILES.test(format)) {
    return startsWith(start, ZIP, COMPOUND_FILE)
  }
  if (OTHER_ZIP_FILES.test(format)) return startsWith(start, ZIP)
  if (Object.hasOwn(SIGNATURES, format)) return startsWith(start, ...SIGNATURES[format]!)
  return HTML.test(format) || !isHtml(start)
}

/**
 * Like `matchesSignature`, for a file that is to be opened rather than one that was saved. A package must not name
 * another format, either.
 */
export function matchesOpenedSignature (start: Buffer, format: string): boolean {
  if (Object.hasOwn(ONLY_OPENED, format)) return startsWith(start, ...ONLY_OPENED[format]!)
  return matchesSignature(start, format) && !(isZip(start, format) && namesOtherFormat(start, format))
}

/** Whether a file of this format that begins with these bytes is a zip file. */
export function isZip (start: Buffer, format: string): boolean {
  return startsWith(start, ZIP) &&
    (OFFICE_OPEN_XML.test(format) || COMPOUND_FILES.test(format) || OTHER_ZIP_FILES.test(format))
}

/** Whether the last bytes of a file contain the end of a PDF file. */
export const hasPdfEnd = (end: Buffer): boolean => end.includes(PDF_END)

/** Whether a format consists of text, with or without markup. */
export const isText = (format: string): boolean => TEXT.test(format) || HTML.test(format) || MARKUP.test(format)

/** Whether a file that begins like this cannot be text. UTF-16 may have a zero in every other byte. */
export function isBinary (start: Buffer): boolean {
  if (startsWith(start, ZIP, PDF, COMPOUND_FILE)) return true
  if (startsWith(start, ...UTF_16)) return false
  const zeros = [0, 0]
  for (const [index, byte] of start.entries()) if (byte === 0) zeros[index % 2]!++
  return Math.min(...zeros) > 0 || Math.max(...zeros) > start.length / 2
}

export const isOfficeOpenXml = (format: string): boolean => OFFICE_OPEN_XML.test(format)

/** Whether browsers show the format as a page. */
export const isHtmlFormat = (format: string): boolean => /^s?html?$/.test(format)

/** Whether any content is valid in a format. */
export const isPlainText = (format: string): boolean => TEXT.test(format)

const isRtf = (start: Buffer): boolean =>
  /^\s*\{\\rtf/.test(start.toString('latin1', 0, signatureReach('rtf')))

function startsWith (start: Buffer, ...signatures: readonly Buffer[]): boolean {
  return signatures.some(signature => start.subarray(0, signature.length).equals(signature))
}

const CONTENT_TYPES = '[content_types].xml'
const MANIFEST = 'meta-inf/manifest.xml'
const CONTAINER = 'meta-inf/container.xml'
/** The folder of the main part, by the formats of each editor. */
const OFFICE_FOLDERS: ReadonlyArray<readonly [formats: RegExp, folder: string]> = [
  [/^do[ct]/, 'word/'],
  [/^xl/, 'xl/'],
  [/^(pp|pot)/, 'ppt/'],
  [/^vs/, 'visio/']
]
const OPEN_DOCUMENT = /^o[dt][tspg]$/

const MIME_TYPE = 'mimetype'
const TEMPLATE = /[-.]template$/

/**
 * Whether a package that begins with these bytes names another format: a text that is a spreadsheet, or a book that is
 * a text. A template counts as its format.
 */
function namesOtherFormat (start: Buffer, format: string): boolean {
  const family = (mediaType: string) => mediaType.replace(TEMPLATE, '')
  const mediaType = namedMediaType(start)
  return mediaType !== '' && family(mediaType) !== family(mediaTypeOf(format))
}

/**
 * The media type in the first part, which some packages store uncompressed, so that it can be read. Empty if its size
 * is elsewhere.
 */
function namedMediaType (start: Buffer): string {
  const nameEnd = PART_BYTES + MIME_TYPE.length
  const isNamed = start.length >= nameEnd && start.toString('latin1', PART_BYTES, nameEnd) === MIME_TYPE &&
    start.readUInt16LE(8) === STORED
  if (!isNamed) return ''
  const contentAt = nameEnd + start.readUInt16LE(28)
  const end = contentAt + start.readUInt32LE(22)
  return end > start.length ? '' : start.toString('latin1', contentAt, end).trim()
}

/** Whether a package with these parts can be of a format. */
export function hasPartsOf (format: string, names: readonly string[]): boolean {
  const parts = names.map(name => name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase())
  if (OPEN_DOCUMENT.test(format)) return parts.includes(MANIFEST)
  if (format === 'epub') return parts.includes(CONTAINER)
  const own = OFFICE_FOLDERS.find(([formats]) => formats.test(format))?.[1]
  if (own === undefined) return true
  if (!parts.includes(CONTENT_TYPES)) return false
  const hasFolder = (folder: string) => parts.some(part => part.startsWith(folder))
  // The main part may be anywhere, but hardly ever in the folder of another format.
  return hasFolder(own) || !OFFICE_FOLDERS.some(([, folder]) => hasFolder(folder))
}

// Source of the offsets: MS-CFB, the specification of the container of .doc, .xls and .ppt.
const HEADER_BYTES = 512
const SECTOR_SHIFT = 30
const SHIFTS: readonly number[] = [9, 12]
const FIRST_DIRECTORY_SECTOR = 48
/** Offset of the numbers of the sectors that list all others. */
const FIRST_LISTED = 76
/** Greater numbers mean that there is no sector. */
const LAST_SECTOR = 0xFFFFFFFA

/**
 * Whether a file is a compound file (an old office file, or a protected new one) that is cut off: sectors that its
 * header names are beyond its end, or it has no readable header.
 */
export function isCutOffCompoundFile (start: Buffer, length: number): boolean {
  if (!startsWith(start, COMPOUND_FILE)) return false
  if (start.length < HEADER_BYTES) return true
  const shift = start.readUInt16LE(SECTOR_SHIFT)
  if (!SHIFTS.includes(shift)) return true
  const sectors = [start.readUInt32LE(FIRST_DIRECTORY_SECTOR)]
  for (let at = FIRST_LISTED; at < HEADER_BYTES; at += 4) sectors.push(start.readUInt32LE(at))
  return sectors.some(sector => sector <= LAST_SECTOR && (sector + 1) * 2 ** shift >= length)
}
