import type {
  ConversionOptions, ConversionRequest, Watermark, WatermarkParagraph, WatermarkRun
} from '../../types/conversions.js'
import { ConversionFailedError, InvalidOptionError } from '../errors.js'
import { digest, isJsonObject, type JsonObject, parseJson } from '../util/text.js'
import {
  AnyObject, AnyString, assertOptions, each, HttpUrl, integerFrom, isOneOf, rule, type Rules, stringThat, TrueOrFalse
} from '../util/validate.js'
import { EXTENSION } from './formats.js'

/** The document to convert, as named in requests to the document server. */
export interface ConversionSource {
  /** The document server caches the result under this key and the output type. */
  readonly key: string
  readonly url: string
  /** Extension of the bytes at `url`. */
  readonly filetype: string
  readonly title: string
}

/** A conversion request in the field names of the conversion API, without the URL of the document. */
export interface WireRequest extends Pick<ConversionSource, 'key' | 'filetype'>, Pick<ConversionOptions, 'thumbnail'> {
  readonly async: true
  /** In lower case. */
  readonly outputtype: string
}

/** Code pages that the document server knows. With any other it would read the document as UTF-8. */
const CODE_PAGES: ReadonlySet<number> = new Set([
  437, 720, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 865, 866, 869, 874, 932, 936, 949, 950, 1200, 1201,
  1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258, 10007, 12000, 12001, 20866, 21866, 28591, 28592, 28593, 28594,
  28595, 28596, 28597, 28598, 28599, 28603, 28604, 28605, 51949, 65000, 65001
])

export const numbered = (...values: number[]) => rule(`must be one of ${values.join(', ')}`, isOneOf(...values))
export const words = (...values: string[]) => rule(`must be one of ${values.join(', ')}`, isOneOf(...values))

const Extension = rule(
  'must be an extension of 1 to 16 letters or digits, without a dot',
  stringThat(value => EXTENSION.test(value))
)
export const Pixels = rule('must be a whole number of pixels, at least 1', integerFrom(1))

export const conversionRules: Rules<ConversionOptions> = {
  outputType: Extension,
  title: AnyString,
  password: rule(
    'must be a string of 1 to 255 characters',
    stringThat(value => value.length >= 1 && value.length <= 255)
  ),
  region: rule(
    'must be a language and a country, such as en-US',
    stringThat(value => /^[A-Za-z]{2,3}(-[A-Za-z]{4})?-[A-Za-z]{2}$/.test(value))
  ),
  codePage: rule(
    'must be a code page that the document server knows, such as 65001 or 1252',
    value => CODE_PAGES.has(value as number)
  ),
  delimiter: numbered(0, 1, 2, 3, 4, 5),
  thumbnail: { aspect: numbered(0, 1, 2), first: TrueOrFalse, width: Pixels, height: Pixels },
  // The document server checks the fields inside.
  ...each(AnyObject, 'spreadsheetLayout', 'documentLayout', 'documentRenderer', 'watermark'),
  pdf: { form: TrueOrFalse, pdfa: TrueOrFalse }
}

const requestRules = {
  ...conversionRules,
  url: HttpUrl,
  fileType: Extension,
  key: rule('must be a string that is not empty', stringThat(value => value !== '')),
  content: rule('', () => true) // checked by what reads it
}

const required: ReadonlySet<string> = new Set(['outputType', 'fileType'])

/** Throws `InvalidOptionError` with the name of the first wrong field. */
export function assertConversionRequest (request: ConversionRequest): void {
  assertOptions(requestRules, request, { required })
  const { url, content, key } = request
  if ((url === undefined) === (content === undefined)) {
    throw new InvalidOptionError('url', 'or content must be set, and not both')
  }
  if (content !== undefined && key !== undefined) {
    throw new InvalidOptionError('key', 'is only for a url: content needs no key')
  }
}

/**
 * The result is cached by its key and output type alone, so the key must depend on everything that shapes the result.
 */
export function conversionKey (...parts: readonly string[]): string {
  return digest(...parts)
}

/** The request as it is sent. Its key is a hash of all options and of `identity`, which identifies the content. */
export function wireRequest (
  { fileType, outputType, watermark, ...options }: ConversionOptions & Pick<ConversionRequest, 'fileType'>,
  identity: string
): WireRequest {
  const filetype = fileType.toLowerCase()
  const fields = {
    outputtype: outputType.toLowerCase(),
    ...options,
    watermark: watermark && wireWatermark(watermark)
  }
  return { async: true, filetype, key: conversionKey(identity, filetype, canonicalJson(fields)), ...fields }
}

function wireWatermark ({ strokeWidth, paragraphs, ...watermark }: Watermark): JsonObject {
  return { ...watermark, 'stroke-width': strokeWidth, paragraphs: paragraphs?.map(wireParagraph) }
}

function wireParagraph ({ lineSpacing, runs, ...paragraph }: WatermarkParagraph): JsonObject {
  return { ...paragraph, linespacing: lineSpacing, runs: runs?.map(wireRun) }
}

function wireRun ({ fontFamily, fontSize, ...run }: WatermarkRun): JsonObject {
  return { ...run, 'font-family': fontFamily, 'font-size': fontSize }
}

/** The same JSON for equal values, whatever the order of their properties. */
function canonicalJson (value: unknown): string {
  return JSON.stringify(
    value,
    (_name, part: unknown) =>
      isJsonObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => a < b ? -1 : 1)) : part
  )
}

export type ConversionAnswer =
  /** The error as the document server sent it. */
  | { readonly error: string }
  | {
    readonly error?: undefined
    /** Present when the conversion has finished. */
    readonly fileUrl?: string
    /** Format of the file, in lower case, if the document server announced it. */
    readonly fileType?: string
    /** From 0 to 100. */
    readonly percent: number
  }

/**
 * Parses JSON, or XML, which some document servers send whatever the Accept header asks for. Throws
 * `ConversionFailedError`.
 */
export function parseConversionAnswer (text: string): ConversionAnswer {
  const trimmed = text.replace(/^\ufeff/, '').trim()
  const answer = trimmed.startsWith('<') ? fromXml(trimmed) : parseJson(trimmed)
  if (answer === undefined) throw new ConversionFailedError('its answer is neither JSON nor XML')
  if (!isJsonObject(answer)) throw new ConversionFailedError('its answer is neither JSON nor XML of a conversion')
  const error = reportedError(answer)
  if (error !== undefined) return { error }
  const percent = typeof answer.percent === 'number' ? answer.percent : Number(textOf(answer.percent))
  if (answer.endConvert !== true) return { percent: percent >= 0 && percent <= 100 ? percent : 0 }
  const [fileUrl, fileType] = [textOf(answer.fileUrl), textOf(answer.fileType)]
  if (fileUrl === '') throw new ConversionFailedError('it finished without a file')
  return {
    fileUrl,
    percent: 100,
    ...(/^\.?\w{1,16}$/.test(fileType) && { fileType: fileType.replace('.', '').toLowerCase() })
  }
}

/** The fields of the JSON; `null` if it is not the XML of a conversion. */
function fromXml (xml: string): JsonObject | null {
  if (!/<FileResult[\s>]/.test(xml)) return null
  const error = elementText(xml, 'Error')
  return {
    ...(error !== '' && error !== '0' && { error }),
    endConvert: /^true$/i.test(elementText(xml, 'EndConvert')),
    fileUrl: elementText(xml, 'FileUrl'),
    fileType: elementText(xml, 'FileType'),
    percent: elementText(xml, 'Percent')
  }
}

function textOf (value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Text of a child element of FileResult: the children have neither attributes nor children. */
function elementText (xml: string, name: string): string {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? ''
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
  return text.trim().replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => characters[entity]!)
}

/** The meaning of the codes, and what to do. */
const explanations: ReadonlyMap<string, string> = new Map([
  ['-1', 'unknown error: see the log of the document server'],
  ['-2', 'timeout: the document is large, or the document server is busy'],
  ['-3', 'conversion error: permanent, the document server answers the same for this content and these options'],
  ['-4', 'it could not download the source: check that the document server can reach publicBaseUrl, or the host of the URL'],
  ['-5', 'wrong or missing password'],
  ['-6', 'database error: see the log of the document server'],
  ['-7', 'wrong input: it does not accept the key, the file type or the output type'],
  ['-8', 'invalid or expired token: compare jwtSecret and the clock with those of the document server'],
  ['-9', 'the output type is ambiguous: name a format such as docx instead of ooxml or odf'],
  ['-10', 'size limit exceeded: see FileConverter.converter.maxDownloadBytes and inputLimits of the document server']
])

/** The same request may succeed later. After every error but -3 the document server tries again. */
const RETRYABLE: readonly string[] = ['-1', '-2', '-4', '-6']

/** The error that an answer reports, as text; `undefined` if it reports none. */
export function reportedError ({ error }: JsonObject): string | undefined {
  if (error === undefined || error === null || error === 0) return undefined
  return typeof error === 'object' ? 'without a code' : String(error)
}

interface ServiceFailure {
  /** The code with its explanation, if it is known. */
  readonly reason: string
  readonly serverCode?: number
  readonly retryable: boolean
}

/** `error` is the code as the document server sent it. */
export function serviceFailure (error: string): ServiceFailure {
  const explanation = explanations.get(error)
  return {
    reason: explanation ? `error ${error} (${explanation})` : `error ${error.slice(0, 20).replace(/[^ -~]/g, '?')}`,
    ...(/^-?\d{1,9}$/.test(error) && { serverCode: Number(error) }),
    retryable: RETRYABLE.includes(error)
  }
}
