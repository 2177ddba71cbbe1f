import { ConversionFailedError } from '../errors.js'
import { isJsonObject, parseJson } from '../json.js'

export interface ConversionAnswer {
  /** Present when the conversion has finished. */
  readonly fileUrl?: string
  /** The error as the document server sent it. */
  readonly error?: string
}

/** Source: docs/document-server-protocol.md#conversion */
const explanations: Record<string, string> = {
  '-1': 'unknown error',
  '-2': 'timeout',
  '-3': 'conversion error, permanent for this content',
  '-4': 'it could not download the source: check that the document server can reach publicBaseUrl',
  '-5': 'wrong password',
  '-6': 'database error',
  '-7': 'wrong input',
  '-8': 'invalid or expired token: compare jwtSecret and the clock with those of the document server',
  '-9': 'the output type is ambiguous',
  '-10': 'size limit exceeded'
}

/** The error code with its explanation, if it is known. */
export function explainConversionError (error: string): string {
  const explanation = explanations[error]
  return explanation ? `error ${error} (${explanation})` : `error ${error}`
}

/** Parses JSON, or XML, which some document servers send whatever the Accept header says. Throws `ConversionFailedError`. */
export function parseConversionAnswer (text: string): ConversionAnswer {
  const trimmed = text.replace(/^\ufeff/, '').trim()
  return trimmed.startsWith('<') ? fromXml(trimmed) : fromJson(trimmed)
}

function fromJson (text: string): ConversionAnswer {
  const answer = parseJson(text)
  if (answer === undefined) throw new ConversionFailedError('its answer is neither JSON nor XML')
  if (!isJsonObject(answer)) throw new ConversionFailedError('its answer is neither JSON nor XML of a conversion')
  if (answer.error !== undefined && answer.error !== null && answer.error !== 0) return { error: String(answer.error) }
  return finished(answer.endConvert === true, typeof answer.fileUrl === 'string' ? answer.fileUrl : '')
}

function fromXml (text: string): ConversionAnswer {
  if (!/<FileResult[\s>]/.test(text)) throw new ConversionFailedError('its answer is neither JSON nor XML of a conversion')
  const error = elementText(text, 'Error')
  if (error !== '' && error !== '0') return { error }
  return finished(/^true$/i.test(elementText(text, 'EndConvert')), elementText(text, 'FileUrl'))
}

function finished (endConvert: boolean, fileUrl: string): ConversionAnswer {
  if (!endConvert) return {}
  if (fileUrl === '') throw new ConversionFailedError('it finished without a file')
  return { fileUrl }
}

/** Text of a child element of FileResult: the children have neither attributes nor children. */
function elementText (xml: string, name: string): string {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? ''
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
  return text.trim().replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => characters[entity]!)
}
