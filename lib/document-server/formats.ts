import type { DocumentType } from '@onlyoffice/doceditor-types'
import type { DocumentFormat, SignalOptions } from '../../types/conversions.js'
import { isJsonObject, type JsonObject, parseJson } from '../util/text.js'
import { assertOptions, requestRules } from '../util/validate.js'
import type { DocumentServerClient } from './client.js'

const OOXML = 'application/vnd.openxmlformats-officedocument'
const ODF = 'application/vnd.oasis.opendocument'

/**
 * The formats that the document server opens, by editor and extension: the media type, and what can be done besides
 * viewing. Sources: `FileType` of @onlyoffice/doceditor-types, and the format list of ONLYOFFICE Docs 9,
 * https://github.com/ONLYOFFICE/document-formats.
 */
const formatsByEditor: Record<DocumentType, Record<string, readonly [mediaType: string, actions?: string]>> = {
  word: {
    doc: ['application/msword', 'auto-convert'],
    docm: ['application/vnd.ms-word.document.macroenabled.12', 'edit review comment encrypt'],
    docx: [`${OOXML}.wordprocessingml.document`, 'edit review comment encrypt'],
    dot: ['application/msword', 'auto-convert'],
    dotm: ['application/vnd.ms-word.template.macroenabled.12', 'edit review comment encrypt'],
    dotx: [`${OOXML}.wordprocessingml.template`, 'edit review comment encrypt'],
    epub: ['application/epub+zip', 'lossy-edit auto-convert'],
    fb2: ['application/x-fictionbook+xml', 'lossy-edit auto-convert'],
    fodt: [`${ODF}.text-flat-xml`, 'auto-convert'],
    hml: ['application/x-hwpml'],
    htm: ['text/html; charset=utf-8', 'auto-convert'],
    html: ['text/html; charset=utf-8', 'lossy-edit auto-convert'],
    hwp: ['application/x-hwp'],
    hwpx: ['application/hwp+zip'],
    md: ['text/markdown; charset=utf-8'],
    mht: ['message/rfc822', 'auto-convert'],
    mhtml: ['message/rfc822', 'auto-convert'],
    odt: [`${ODF}.text`, 'lossy-edit auto-convert review comment encrypt'],
    ott: [`${ODF}.text-template`, 'lossy-edit auto-convert review comment encrypt'],
    pages: ['application/vnd.apple.pages'],
    rtf: ['application/rtf', 'lossy-edit auto-convert review comment'],
    stw: ['application/vnd.sun.xml.writer.template', 'auto-convert'],
    sxw: ['application/vnd.sun.xml.writer', 'auto-convert'],
    txt: ['text/plain; charset=utf-8', 'lossy-edit'],
    wps: ['application/vnd.ms-works', 'auto-convert'],
    wpt: ['application/vnd.ms-works', 'auto-convert'],
    xml: ['application/xml', 'auto-convert']
  },
  cell: {
    csv: ['text/csv; charset=utf-8', 'lossy-edit customfilter'],
    et: ['application/vnd.ms-excel', 'auto-convert'],
    ett: ['application/vnd.ms-excel', 'auto-convert'],
    fods: [`${ODF}.spreadsheet-flat-xml`, 'auto-convert'],
    numbers: ['application/vnd.apple.numbers'],
    ods: [`${ODF}.spreadsheet`, 'lossy-edit auto-convert comment encrypt customfilter'],
    ots: [`${ODF}.spreadsheet-template`, 'lossy-edit auto-convert comment encrypt customfilter'],
    scsv: ['text/csv; charset=utf-8', 'lossy-edit customfilter'],
    sxc: ['application/vnd.sun.xml.calc', 'auto-convert'],
    tsv: ['text/tab-separated-values; charset=utf-8', 'lossy-edit customfilter'],
    xls: ['application/vnd.ms-excel', 'auto-convert'],
    xlsb: ['application/vnd.ms-excel.sheet.binary.macroenabled.12', 'edit comment encrypt customfilter'],
    xlsm: ['application/vnd.ms-excel.sheet.macroenabled.12', 'edit comment encrypt customfilter'],
    xlsx: [`${OOXML}.spreadsheetml.sheet`, 'edit comment encrypt customfilter'],
    xlt: ['application/vnd.ms-excel', 'auto-convert'],
    xltm: ['application/vnd.ms-excel.template.macroenabled.12', 'edit comment encrypt customfilter'],
    xltx: [`${OOXML}.spreadsheetml.template`, 'edit comment encrypt customfilter']
  },
  slide: {
    dps: ['application/vnd.ms-powerpoint', 'auto-convert'],
    dpt: ['application/vnd.ms-powerpoint', 'auto-convert'],
    fodp: [`${ODF}.presentation-flat-xml`, 'auto-convert'],
    key: ['application/vnd.apple.keynote'],
    odg: [`${ODF}.graphics`],
    odp: [`${ODF}.presentation`, 'lossy-edit auto-convert comment encrypt'],
    otp: [`${ODF}.presentation-template`, 'lossy-edit auto-convert comment encrypt'],
    pot: ['application/vnd.ms-powerpoint', 'auto-convert'],
    potm: ['application/vnd.ms-powerpoint.template.macroenabled.12', 'edit comment encrypt'],
    potx: [`${OOXML}.presentationml.template`, 'edit comment encrypt'],
    pps: ['application/vnd.ms-powerpoint', 'auto-convert'],
    ppsm: ['application/vnd.ms-powerpoint.slideshow.macroenabled.12', 'edit comment encrypt'],
    ppsx: [`${OOXML}.presentationml.slideshow`, 'edit comment encrypt'],
    ppt: ['application/vnd.ms-powerpoint', 'auto-convert'],
    pptm: ['application/vnd.ms-powerpoint.presentation.macroenabled.12', 'edit comment encrypt'],
    pptx: [`${OOXML}.presentationml.presentation`, 'edit comment encrypt'],
    sxi: ['application/vnd.sun.xml.impress', 'auto-convert']
  },
  pdf: {
    djvu: ['image/vnd.djvu'],
    oxps: ['application/oxps'],
    pdf: ['application/pdf', 'edit fill comment encrypt'],
    xps: ['application/vnd.ms-xpsdocument']
  },
  diagram: {
    vsdm: ['application/vnd.ms-visio.drawing.macroenabled.main+xml'],
    vsdx: ['application/vnd.ms-visio.drawing.main+xml'],
    vssm: ['application/vnd.ms-visio.stencil.macroenabled.main+xml'],
    vssx: ['application/vnd.ms-visio.stencil.main+xml'],
    vstm: ['application/vnd.ms-visio.template.macroenabled.main+xml'],
    vstx: ['application/vnd.ms-visio.template.main+xml']
  }
}

const formats = new Map(Object.entries(formatsByEditor).flatMap(([documentType, byExtension]) =>
  Object.entries(byExtension).map(([fileType, [mediaType, actions]]) => [
    fileType,
    { documentType: documentType as DocumentType, mediaType, actions: ['view', ...words(actions)] }
  ])
))

/** The extensions that the document server opens, lower case and without a dot. */
export const knownExtensions: readonly string[] = [...formats.keys()]

/** The editor that opens a format; `undefined` if the document server does not know it. */
export function documentTypeOf (fileType: string): DocumentType | undefined {
  return formats.get(fileType)?.documentType
}

/** The media type that a format is served as. */
export function mediaTypeOf (fileType: string): string {
  return formats.get(fileType)?.mediaType ?? 'application/octet-stream'
}

const resultMediaTypes: ReadonlyMap<string, string> = new Map([
  ['bmp', 'image/bmp'], ['gif', 'image/gif'], ['jpg', 'image/jpeg'], ['png', 'image/png'], ['tiff', 'image/tiff'],
  ['docxf', `${OOXML}.wordprocessingml.document.docxf`], ['oform', `${OOXML}.wordprocessingml.document.oform`],
  ['zip', 'application/zip']
])

/** The media type of a file that the document server made. For stored files, `mediaTypeOf` is used instead. */
export function resultMediaTypeOf (fileType: string): string {
  return resultMediaTypes.get(fileType) ?? mediaTypeOf(fileType)
}

/** Matches an extension, in any case and without its dot. */
export const EXTENSION = /^[0-9A-Za-z]{1,16}$/

/** The separators of rows of text, by format; `undefined` if it differs from file to file. */
export const SEPARATORS: ReadonlyMap<string, string | undefined> = new Map([
  ['csv', undefined], ['tsv', '\t'], ['scsv', ';']
])

/**
 * The lower-case extension of a file name; `''` if the name is not a string or has no extension that documents can be
 * stored under.
 */
export function extensionOf (name: unknown): string {
  if (typeof name !== 'string') return ''
  const [, extension = ''] = /[^/\\]\.([^./\\]+)$/.exec(name.trimEnd()) ?? []
  return EXTENSION.test(extension) ? extension.toLowerCase() : ''
}

/** Older document servers answer 404. */
const PATH = '/meta/formats'
const TIMEOUT_MS = 10_000
const REMEMBERED_MS = 60 * 60_000
/** Used after an unusable answer: the document server may be starting. */
const REMEMBERED_FAILURE_MS = 60_000

/** The application may send a media type in a header. */
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/

/** Form formats of earlier document servers, which choose their editor themselves. */
const FORMS: readonly string[] = ['docxf', 'oform']

/** Asks the document server once an hour. Falls back to the built-in list if it gives no usable answer. */
export function createFormats (client: DocumentServerClient) {
  let remembered: readonly DocumentFormat[] = []
  let until = -Infinity

  return { formats, opens }

  /** The formats that the document server knows. Never rejects, except with the reason of the signal. */
  async function formats (options: SignalOptions = {}): Promise<readonly DocumentFormat[]> {
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

  /** Whether an editor opens a format, also one that only a newer document server knows. Never rejects. */
  async function opens (fileType: string): Promise<boolean> {
    return documentTypeOf(fileType) !== undefined || FORMS.includes(fileType) ||
      (await formats()).some(({ fileType: listed, actions }) => listed === fileType && actions.includes('view'))
  }

  async function ask (signal: AbortSignal | undefined): Promise<readonly DocumentFormat[] | undefined> {
    try {
      const list = parseJson(await client.get(PATH, { signal, total: TIMEOUT_MS }))
      if (!Array.isArray(list)) return undefined
      const formats = list.filter(isListed).map(format)
      return formats.length > 0 ? formats : undefined
    } catch {
      return undefined
    }
  }
}

/** An entry of the document server's list. Source: emulator/docs/document-server-protocol.md#other-paths */
type Listed = JsonObject & { readonly name: string }

function isListed (entry: unknown): entry is Listed {
  return isJsonObject(entry) && typeof entry.name === 'string' && EXTENSION.test(entry.name)
}

function format ({ name, type, actions, convert, mime }: Listed): DocumentFormat {
  const fileType = name.toLowerCase()
  return {
    fileType,
    ...(isDocumentType(type) && { documentType: type }),
    actions: strings(actions),
    convertsTo: strings(convert),
    mediaType: strings(mime).find(type => MEDIA_TYPE.test(type)) ?? resultMediaTypeOf(fileType)
  }
}

function isDocumentType (type: unknown): type is DocumentType {
  return typeof type === 'string' && Object.hasOwn(formatsByEditor, type)
}

function strings (value: unknown): string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}

const IMAGES = 'bmp gif jpg png'
const TEXT_TARGETS = `docx docm dotx dotm odt ott rtf txt html epub fb2 pdf pdfa ${IMAGES}`

/**
 * The formats that each editor's formats can be converted to, except themselves. Source: the conversion tables of the
 * API documentation.
 */
const targets: Readonly<Record<DocumentType, string>> = {
  word: TEXT_TARGETS,
  cell: `xlsx xlsm xltx xltm ods ots csv pdf pdfa ${IMAGES}`,
  slide: `pptx pptm ppsx ppsm potx potm odp otp pdf pdfa ${IMAGES}`,
  pdf: TEXT_TARGETS,
  diagram: `pdf pdfa ${IMAGES}`
}

/** The formats that a document server opens, used if it does not report its own. */
const builtInFormats: readonly DocumentFormat[] = [...formats].map(([fileType, format]) => ({
  fileType,
  ...format,
  // A DjVu file contains only images of pages, and no text to convert.
  convertsTo: words(targets[fileType === 'djvu' ? 'diagram' : format.documentType]).filter(to => to !== fileType)
}))

function words (text = ''): string[] {
  return text.split(' ').filter(Boolean)
}
