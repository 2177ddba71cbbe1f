import { posix } from 'node:path'
import { ConversionCode } from './codes.js'
import { outputType } from './output-type.js'

/** What is to be converted, as the document server reads a request. */
export interface ConversionRequest {
  /** As it stands in the folder of the result. */
  readonly key: string
  /** Lower case; empty when it is not said. */
  readonly from: string
  readonly to: string
  readonly toNumber: number
  /** Without its extension. */
  readonly title: string
  readonly url: unknown
  readonly isAsync: boolean
}

const KEY = /^[0-9A-Za-z._=-]*$/
// Source: the document server's constant.
const PASSWORD_MAX_LENGTH = 255
const EXTENSION = /^[0-9A-Za-z]*$/

/** Reads the signed fields of a request: keys of any length and numbers are taken, so is any `filetype` of letters and digits. */
export function conversionRequest (fields: Record<string, unknown>): ConversionRequest | { readonly error: number } {
  const { key, title, url, async: asynchronous, password, thumbnail, documentRenderer } = fields
  const from = fields.filetype || fields.fileType || ''
  const requested = fields.outputtype || fields.outputType || ''
  if (!KEY.test(text(key)) || !EXTENSION.test(text(from))) return { error: ConversionCode.input }
  // The real one fails on them.
  if (typeof requested !== 'string' || (title && typeof title !== 'string')) return { error: ConversionCode.unknown }
  const to = outputType(asPdf(requested.toLowerCase(), fields.pdf), text(from).toLowerCase())
  if (to === undefined) return { error: ConversionCode.input }
  if (to === 'ambiguous') return { error: ConversionCode.ambiguous }
  if (typeof password === 'string' && password.length > PASSWORD_MAX_LENGTH) return { error: ConversionCode.input }
  if (!isReadable(thumbnail) || !isReadable(documentRenderer)) return { error: ConversionCode.unknown }
  const name = text(title) || 'output'
  return {
    key: text(key) || 'undefined',
    from: text(from).toLowerCase(),
    to: to.extension,
    toNumber: to.number,
    title: name.slice(0, name.length - posix.extname(name).length),
    url,
    isAsync: typeof asynchronous === 'string' ? asynchronous === 'true' : Boolean(asynchronous)
  }
}

/** `pdf` makes a PDF one for archives, or the other way round. */
function asPdf (requested: string, pdf: unknown): string {
  const { pdfa } = Object(pdf) as { pdfa?: unknown }
  if (requested === 'pdf' && pdfa === true) return 'pdfa'
  return requested === 'pdfa' && pdfa === false ? 'pdf' : requested
}

/** These options may be JSON text. */
function isReadable (option: unknown): boolean {
  if (typeof option !== 'string' || option === '') return true
  try {
    JSON.parse(option)
    return true
  } catch {
    return false
  }
}

/** Of an object only what can't be a key: its text may be anything, or nothing at all. */
function text (value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
