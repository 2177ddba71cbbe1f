import type { DocumentType } from '@onlyoffice/doceditor-types'

interface Format {
  readonly documentType: DocumentType
  readonly mediaType: string
}

const OOXML = 'application/vnd.openxmlformats-officedocument'
const ODF = 'application/vnd.oasis.opendocument'

/**
 * The formats that the document server opens, by editor and extension. Source: `FileType` of
 * @onlyoffice/doceditor-types.
 */
const mediaTypes: Record<DocumentType, Record<string, string>> = {
  word: {
    doc: 'application/msword',
    docm: 'application/vnd.ms-word.document.macroenabled.12',
    docx: `${OOXML}.wordprocessingml.document`,
    dot: 'application/msword',
    dotm: 'application/vnd.ms-word.template.macroenabled.12',
    dotx: `${OOXML}.wordprocessingml.template`,
    epub: 'application/epub+zip',
    fb2: 'application/x-fictionbook+xml',
    fodt: `${ODF}.text-flat-xml`,
    hml: 'application/x-hwpml',
    htm: 'text/html; charset=utf-8',
    html: 'text/html; charset=utf-8',
    hwp: 'application/x-hwp',
    hwpx: 'application/hwp+zip',
    md: 'text/markdown; charset=utf-8',
    mht: 'message/rfc822',
    mhtml: 'message/rfc822',
    odt: `${ODF}.text`,
    ott: `${ODF}.text-template`,
    pages: 'application/vnd.apple.pages',
    rtf: 'application/rtf',
    stw: 'application/vnd.sun.xml.writer.template',
    sxw: 'application/vnd.sun.xml.writer',
    txt: 'text/plain; charset=utf-8',
    wps: 'application/vnd.ms-works',
    wpt: 'application/vnd.ms-works',
    xml: 'application/xml'
  },
  cell: {
    csv: 'text/csv; charset=utf-8',
    et: 'application/vnd.ms-excel',
    ett: 'application/vnd.ms-excel',
    fods: `${ODF}.spreadsheet-flat-xml`,
    numbers: 'application/vnd.apple.numbers',
    ods: `${ODF}.spreadsheet`,
    ots: `${ODF}.spreadsheet-template`,
    sxc: 'application/vnd.sun.xml.calc',
    xls: 'application/vnd.ms-excel',
    xlsb: 'application/vnd.ms-excel.sheet.binary.macroenabled.12',
    xlsm: 'application/vnd.ms-excel.sheet.macroenabled.12',
    xlsx: `${OOXML}.spreadsheetml.sheet`,
    xlt: 'application/vnd.ms-excel',
    xltm: 'application/vnd.ms-excel.template.macroenabled.12',
    xltx: `${OOXML}.spreadsheetml.template`
  },
  slide: {
    dps: 'application/vnd.ms-powerpoint',
    dpt: 'application/vnd.ms-powerpoint',
    fodp: `${ODF}.presentation-flat-xml`,
    key: 'application/vnd.apple.keynote',
    odg: `${ODF}.graphics`,
    odp: `${ODF}.presentation`,
    otp: `${ODF}.presentation-template`,
    pot: 'application/vnd.ms-powerpoint',
    potm: 'application/vnd.ms-powerpoint.template.macroenabled.12',
    potx: `${OOXML}.presentationml.template`,
    pps: 'application/vnd.ms-powerpoint',
    ppsm: 'application/vnd.ms-powerpoint.slideshow.macroenabled.12',
    ppsx: `${OOXML}.presentationml.slideshow`,
    ppt: 'application/vnd.ms-powerpoint',
    pptm: 'application/vnd.ms-powerpoint.presentation.macroenabled.12',
    pptx: `${OOXML}.presentationml.presentation`,
    sxi: 'application/vnd.sun.xml.impress'
  },
  pdf: {
    djvu: 'image/vnd.djvu',
    oxps: 'application/oxps',
    pdf: 'application/pdf',
    xps: 'application/vnd.ms-xpsdocument'
  },
  diagram: {
    vsdm: 'application/vnd.ms-visio.drawing.macroenabled.main+xml',
    vsdx: 'application/vnd.ms-visio.drawing.main+xml',
    vssm: 'application/vnd.ms-visio.stencil.macroenabled.main+xml',
    vssx: 'application/vnd.ms-visio.stencil.main+xml',
    vstm: 'application/vnd.ms-visio.template.macroenabled.main+xml',
    vstx: 'application/vnd.ms-visio.template.main+xml'
  }
}

const formats = new Map<string, Format>()
for (const [documentType, extensions] of Object.entries(mediaTypes)) {
  for (const [extension, mediaType] of Object.entries(extensions)) {
    formats.set(extension, { documentType: documentType as DocumentType, mediaType })
  }
}

/** The extensions that the document server opens, lower case and without a dot. */
export const knownExtensions: readonly string[] = [...formats.keys()]

/** The editor that opens a format; `undefined` if the document server does not know it. */
export function documentTypeOf (extension: string): DocumentType | undefined {
  return formats.get(extension)?.documentType
}

/** The media type that a format is served as. */
export function mediaTypeOf (extension: string): string {
  return formats.get(extension)?.mediaType ?? 'application/octet-stream'
}

const resultMediaTypes: Readonly<Record<string, string>> = {
  bmp: 'image/bmp',
  docxf: `${OOXML}.wordprocessingml.document.docxf`,
  gif: 'image/gif',
  jpg: 'image/jpeg',
  oform: `${OOXML}.wordprocessingml.document.oform`,
  png: 'image/png',
  tiff: 'image/tiff',
  zip: 'application/zip'
}

/**
 * The media type of a file that the document server made. Stored files are served with that of `mediaTypeOf` instead.
 */
export function resultMediaTypeOf (extension: string): string {
  return Object.hasOwn(resultMediaTypes, extension) ? resultMediaTypes[extension]! : mediaTypeOf(extension)
}

/** Matches an extension, in any case and without its dot. */
export const EXTENSION = /^[0-9A-Za-z]{1,16}$/

/**
 * The lower-case extension of a file name; `''` if the name is not a string or has no extension that documents can be
 * stored under.
 */
export function extensionOf (name: unknown): string {
  if (typeof name !== 'string') return ''
  const [, extension = ''] = /[^/\\]\.([^./\\]+)$/.exec(name.trimEnd()) ?? []
  return EXTENSION.test(extension) ? extension.toLowerCase() : ''
}
