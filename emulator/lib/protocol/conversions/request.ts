import { posix } from 'node:path'
import { ConversionCode, type Failure } from './failures.js'
import type { Thumbnail } from '../../documents/images/thumbnail.js'
import { outputType } from './output-type.js'
import { plainSourceOf } from '../../documents/plain-source.js'

/** A conversion request as the document server reads it. */
export type ConversionRequest = Exclude<ReturnType<typeof conversionRequest>, Failure>

const KEY = /^[0-9A-Za-z._=-]*$/
// Source: the document server's constant.
const PASSWORD_MAX_LENGTH = 255
// Source: observed; the column of the document server's database.
const ID_MAX_LENGTH = 255
const EXTENSION = /^[0-9A-Za-z]*$/
const MAX_IMAGE_SIZE = 2000
const DEFAULT_IMAGE_SIZE = 100

/**
 * Reads the signed fields of a request. Accepts long keys, numbers as keys, and any `filetype` of letters and digits.
 */
export function conversionRequest (fields: Record<string, unknown>) {
  const { key, title, url, async: asynchronous, password, thumbnail, documentRenderer } = fields
  const from = fields.filetype || fields.fileType || ''
  const requested = fields.outputtype || fields.outputType || ''
  if (!KEY.test(stringOf(key)) || !EXTENSION.test(stringOf(from))) return { error: ConversionCode.input }
  // The real document server fails on these.
  if (typeof requested !== 'string' || (title && typeof title !== 'string')) return { error: ConversionCode.unknown }
  const to = outputType(asPdf(requested.toLowerCase(), fields.pdf), stringOf(from).toLowerCase())
  if (to === undefined) return { error: ConversionCode.input }
  if (to === 'ambiguous') return { error: ConversionCode.ambiguous }
  if (typeof password === 'string' && password.length > PASSWORD_MAX_LENGTH) return { error: ConversionCode.input }
  if (!isReadableOption(thumbnail) || !isReadableOption(documentRenderer)) return { error: ConversionCode.unknown }
  if (`conv_${stringOf(key)}_${to.number}`.length > ID_MAX_LENGTH) return { error: ConversionCode.unknown }
  const name = stringOf(title) || 'output'
  return {
    /** As used in the folder of the result. */
    key: stringOf(key) || 'undefined',
    /** In lower case; empty when not given. */
    from: stringOf(from).toLowerCase(),
    to: to.extension,
    toNumber: to.number,
    /** Without an extension. */
    title: name.slice(0, name.length - posix.extname(name).length),
    url,
    /** Of a protected source. */
    password: typeof password === 'string' ? password : '',
    thumbnail: thumbnailOf(thumbnail),
    /** How a text source is read. */
    plain: plainSourceOf(fields),
    isAsync: typeof asynchronous === 'string' ? asynchronous === 'true' : Boolean(asynchronous)
  }
}

/** The field `pdf` turns a PDF into a PDF/A, or the other way round. */
function asPdf (requested: string, pdf: unknown): string {
  const { pdfa } = Object(pdf) as { pdfa?: unknown }
  if (requested === 'pdf' && pdfa === true) return 'pdfa'
  return requested === 'pdfa' && pdfa === false ? 'pdf' : requested
}

/**
 * Reads the field `thumbnail`, which may be JSON in a string. What is missing or unusable has its default. Source:
 * docs/document-server-protocol.md#conversion
 */
function thumbnailOf (given: unknown): Thumbnail {
  const { aspect, first, width, height } = Object(
    typeof given === 'string' && given !== '' ? JSON.parse(given) : given
  ) as Record<string, unknown>
  const lengthOf = (value: unknown) =>
    Number.isInteger(value) && Number(value) > 0 ? Math.min(Number(value), MAX_IMAGE_SIZE) : DEFAULT_IMAGE_SIZE
  return {
    aspect: aspect === 0 || aspect === 1 ? aspect : 2,
    first: first !== false,
    width: lengthOf(width),
    height: lengthOf(height)
  }
}

/** Options in a string must be JSON. */
function isReadableOption (option: unknown): boolean {
  if (typeof option !== 'string' || option === '') return true
  try {
    JSON.parse(option)
    return true
  } catch {
    return false
  }
}

/** As a string. An object gives JSON, which is never a valid key. */
function stringOf (value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
