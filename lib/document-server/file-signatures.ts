// How files begin and end, by format.

const ZIP = Buffer.from('504b0304', 'hex')
/** Signature of the end record of a zip file. */
export const ZIP_END: Buffer = Buffer.from('504b0506', 'hex')
/** Container of a password-protected Office Open XML file. Source: MS-OFFCRYPTO. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const PDF = Buffer.from('%PDF-')
const PDF_END = Buffer.from('%%EOF')
const RTF = Buffer.from('{\\rtf')
/** Signatures by format. A GIF file has one of two versions, a TIFF file one of two byte orders. */
const IMAGES: Readonly<Record<string, readonly Buffer[]>> = {
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
const TEXT = /^(txt|csv|md|json)$/
const MARKUP = /^(rtf|hml|fod[tsp])$/
const UTF_16 = [Buffer.from('fffe', 'hex'), Buffer.from('feff', 'hex')]

/** Number of bytes at the beginning of a file that identify its format. */
export const SIGNATURE_REACH = 512

/**
 * Number of bytes at the end of a zip file that contain its end record: the record and the longest comment after it.
 */
export const ZIP_END_REACH = 22 + 65_535

/**
 * Whether a file that begins with these bytes can have a format. For formats without a signature only HTML pages are
 * excluded: a server in between may have sent an error page instead of the file.
 */
export function matchesSignature (start: Buffer, format: string): boolean {
  if (OFFICE_OPEN_XML.test(format) || COMPOUND_FILES.test(format)) {
    return startsWith(start, ZIP) || startsWith(start, COMPOUND_FILE)
  }
  if (OTHER_ZIP_FILES.test(format)) return startsWith(start, ZIP)
  if (format === 'pdf') return startsWith(start, PDF)
  if (format === 'rtf') return startsWith(start, RTF)
  if (Object.hasOwn(IMAGES, format)) return IMAGES[format]!.some(signature => startsWith(start, signature))
  return HTML.test(format) || !isHtml(start)
}

/** Like `matchesSignature`, for a file that is to be opened rather than one that was saved. */
export function matchesOpenedSignature (start: Buffer, format: string): boolean {
  if (Object.hasOwn(ONLY_OPENED, format)) return ONLY_OPENED[format]!.some(signature => startsWith(start, signature))
  return matchesSignature(start, format)
}

/** Whether a file of this format that begins with these bytes is a zip file. */
export function isZip (start: Buffer, format: string): boolean {
  return startsWith(start, ZIP) &&
    (OFFICE_OPEN_XML.test(format) || COMPOUND_FILES.test(format) || OTHER_ZIP_FILES.test(format))
}

/** Whether the last bytes of a file contain the end record of a zip file. */
export function hasZipEnd (end: Buffer): boolean {
  return end.includes(ZIP_END)
}

/** Whether a file that begins with these bytes is a compound file: an old office file, or a protected new one. */
export function isCompoundFile (start: Buffer): boolean {
  return startsWith(start, COMPOUND_FILE)
}

/** Whether the last bytes of a file contain the end of a PDF file. */
export function hasPdfEnd (end: Buffer): boolean {
  return end.includes(PDF_END)
}

/** Whether a format consists of text, with or without markup. */
export function isText (format: string): boolean {
  return TEXT.test(format) || HTML.test(format) || MARKUP.test(format)
}

/** Whether a file that begins like this cannot be text. UTF-16 may have a zero in every other byte. */
export function isBinary (start: Buffer): boolean {
  if ([ZIP, PDF, COMPOUND_FILE].some(signature => startsWith(start, signature))) return true
  if (UTF_16.some(mark => startsWith(start, mark))) return false
  const zeros = [0, 0]
  for (const [index, byte] of start.entries()) if (byte === 0) zeros[index % 2]!++
  return Math.min(...zeros) > 0 || Math.max(...zeros) > start.length / 2
}

/** Whether the document server names an Office Open XML format. */
export function isOfficeOpenXml (format: string): boolean {
  return OFFICE_OPEN_XML.test(format)
}

/** Whether browsers show the format as a page. */
export function isHtmlFormat (format: string): boolean {
  return /^s?html?$/.test(format)
}

/** Whether any content is valid in a format. */
export function isPlainText (format: string): boolean {
  return TEXT.test(format)
}

/** Whether a file that begins like this is an HTML page. */
export function isHtml (start: Buffer | string): boolean {
  return /^\uFEFF?\s*<(!doctype html|html|head|body)\b/i.test(start.toString())
}

function startsWith (start: Buffer, signature: Buffer): boolean {
  return start.subarray(0, signature.length).equals(signature)
}
