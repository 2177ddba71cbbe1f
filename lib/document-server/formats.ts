import type { DocumentType } from '@onlyoffice/doceditor-types'
import type { DocumentFormat } from '../../types/conversions.js'
import type { RequestOptions } from '../../types/requests.js'
import { isJsonObject, parseJson } from '../util/text.js'
import { assertOptions, requestRules } from '../util/validate.js'
import type { DocumentServerClient } from './client.js'

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

/** The formats that the document server knows. Never rejects, except with the reason of the signal. */
type Formats = (options?: RequestOptions) => Promise<readonly DocumentFormat[]>

interface Dependencies {
  readonly client: Pick<DocumentServerClient, 'get'>
}

/** Older document servers answer 404. */
const PATH = '/meta/formats'
const TIMEOUT_MS = 10_000
const REMEMBERED_MS = 60 * 60_000
/** Used after an unusable answer: the document server may be starting. */
const REMEMBERED_FAILURE_MS = 60_000

/** The application may send a media type in a header. */
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/

const documentTypes: Readonly<Record<DocumentType, true>> = {
  word: true,
  cell: true,
  slide: true,
  pdf: true,
  diagram: true
}

/** Asks the document server once an hour. Falls back to the built-in list if it gives no usable answer. */
export function createFormats ({ client }: Dependencies): Formats {
  let remembered: readonly DocumentFormat[] = []
  let until = -Infinity

  return async function formats (options = {}) {
    assertOptions(requestRules, options)
    const { signal } = options
    signal?.throwIfAborted()
    if (performance.now() < until) return remembered
    const found = await ask(signal)
    signal?.throwIfAborted()
    remembered = found ?? builtInFormats
    until = performance.now() + (found ? REMEMBERED_MS : REMEMBERED_FAILURE_MS)
    return remembered
  }

  async function ask (signal: AbortSignal | undefined): Promise<readonly DocumentFormat[] | undefined> {
    try {
      const { status, text } = await client.get(PATH, { signal, total: TIMEOUT_MS })
      const list = status === 200 ? parseJson(text) : undefined
      if (!Array.isArray(list)) return undefined
      const formats = list.filter(isListed).map(format)
      return formats.length > 0 ? formats : undefined
    } catch {
      return undefined
    }
  }
}

/** Whether an editor opens a format. Never rejects. */
export type Opens = (extension: string) => Promise<boolean>

/** Form formats of earlier document servers, which choose their editor themselves. */
const FORMS: readonly string[] = ['docxf', 'oform']

/** Includes formats that only a document server newer than the built-in list opens. */
export function createOpens (formats: Formats): Opens {
  return async extension => documentTypeOf(extension) !== undefined || FORMS.includes(extension) ||
    (await formats()).some(({ extension: listed, actions }) => listed === extension && actions.includes('view'))
}

/** An entry of the document server's list. Source: docs/document-server-protocol.md#other-paths */
interface Listed {
  readonly name: string
  readonly type?: unknown
  readonly actions?: unknown
  readonly convert?: unknown
  readonly mime?: unknown
}

function isListed (entry: unknown): entry is Listed {
  return isJsonObject(entry) && typeof entry.name === 'string' && EXTENSION.test(entry.name)
}

function format ({ name, type, actions, convert, mime }: Listed): DocumentFormat {
  const extension = name.toLowerCase()
  return {
    extension,
    ...(isDocumentType(type) && { documentType: type }),
    actions: strings(actions),
    convertsTo: strings(convert),
    mediaType: strings(mime).find(type => MEDIA_TYPE.test(type)) ?? resultMediaTypeOf(extension)
  }
}

function isDocumentType (type: unknown): type is DocumentType {
  return typeof type === 'string' && Object.hasOwn(documentTypes, type)
}

function strings (value: unknown): string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}

const words = (text: string): readonly string[] => text.split(' ')

/**
 * What can be done with a format besides viewing it. Source: the format list of ONLYOFFICE Docs 9,
 * https://github.com/ONLYOFFICE/document-formats.
 */
const extensionsByAction: Readonly<Record<string, readonly string[]>> = {
  edit: words('docm docx dotm dotx xlsb xlsm xlsx xltm xltx potm potx ppsm ppsx pptm pptx pdf'),
  'lossy-edit': words('epub fb2 html odt ott rtf txt csv ods ots odp otp'),
  'auto-convert': words(
    'doc dot epub fb2 fodt htm html mht mhtml odt ott rtf stw sxw wps wpt xml et ett fods ods ots sxc xls xlt dps dpt fodp odp otp pot pps ppt sxi'
  ),
  fill: words('pdf'),
  review: words('docm docx dotm dotx odt ott rtf'),
  comment: words(
    'docm docx dotm dotx odt ott rtf ods ots xlsb xlsm xlsx xltm xltx odp otp potm potx ppsm ppsx pptm pptx pdf'
  ),
  encrypt: words(
    'docm docx dotm dotx odt ott ods ots xlsb xlsm xlsx xltm xltx odp otp potm potx ppsm ppsx pptm pptx pdf'
  ),
  customfilter: words('csv ods ots xlsb xlsm xlsx xltm xltx')
}

const IMAGES = 'bmp gif jpg png'

/**
 * The formats that each editor's formats can be converted to, except themselves. Source: the conversion tables of the
 * API documentation.
 */
const targets: Readonly<Record<DocumentType, readonly string[]>> = {
  word: words(`docx docm dotx dotm odt ott rtf txt html epub fb2 pdf pdfa ${IMAGES}`),
  cell: words(`xlsx xlsm xltx xltm ods ots csv pdf pdfa ${IMAGES}`),
  slide: words(`pptx pptm ppsx ppsm potx potm odp otp pdf pdfa ${IMAGES}`),
  pdf: words(`docx docm dotx dotm odt ott rtf txt html epub fb2 pdf pdfa ${IMAGES}`),
  diagram: words(`pdf pdfa ${IMAGES}`)
}

/** These contain only images of pages, and no text to convert. */
const PAGES_ONLY = new Map([['djvu', words(`pdf pdfa ${IMAGES}`)]])

/** The formats that a document server opens, used if it does not report its own. */
const builtInFormats: readonly DocumentFormat[] = knownExtensions.map(extension => {
  const documentType = documentTypeOf(extension)!
  return {
    extension,
    documentType,
    actions: [
      'view',
      ...Object.keys(extensionsByAction).filter(action => extensionsByAction[action]!.includes(extension))
    ],
    convertsTo: (PAGES_ONLY.get(extension) ?? targets[documentType]).filter(target => target !== extension),
    mediaType: mediaTypeOf(extension)
  }
})
