import type { DocumentType } from '@onlyoffice/doceditor-types'
import type { DocumentFormat } from '../../types/conversions.js'
import type { RequestOptions } from '../../types/requests.js'
import { isJsonObject, parseJson } from '../util/json.js'
import { assertOptions, requestRules } from '../util/validate.js'
import type { DocumentServerClient } from './client.js'
import { documentTypeOf, EXTENSION, knownExtensions, mediaTypeOf, resultMediaTypeOf } from './formats.js'

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
