import { ConversionFailedError } from '../errors.js'
import { isJsonObject, parseJson } from '../json.js'
import { reportedError } from './service-errors.js'

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

/** Parses JSON, or XML, which some document servers send whatever the Accept header says. Throws `ConversionFailedError`. */
export function parseConversionAnswer (text: string): ConversionAnswer {
  const trimmed = text.replace(/^\ufeff/, '').trim()
  return trimmed.startsWith('<') ? fromXml(trimmed) : fromJson(trimmed)
}

function fromJson (text: string): ConversionAnswer {
  const answer = parseJson(text)
  if (answer === undefined) throw new ConversionFailedError('its answer is neither JSON nor XML')
  if (!isJsonObject(answer)) throw new ConversionFailedError('its answer is neither JSON nor XML of a conversion')
  const error = reportedError(answer)
  if (error !== undefined) return { error }
  const { endConvert, fileUrl, fileType, percent } = answer
  return outcome({ isFinished: endConvert === true, fileUrl: textOf(fileUrl), fileType: textOf(fileType), percent: typeof percent === 'number' ? percent : Number(textOf(percent)) })
}

function fromXml (text: string): ConversionAnswer {
  if (!/<FileResult[\s>]/.test(text)) throw new ConversionFailedError('its answer is neither JSON nor XML of a conversion')
  const error = elementText(text, 'Error')
  if (error !== '' && error !== '0') return { error }
  return outcome({
    isFinished: /^true$/i.test(elementText(text, 'EndConvert')),
    fileUrl: elementText(text, 'FileUrl'),
    fileType: elementText(text, 'FileType'),
    percent: Number(elementText(text, 'Percent'))
  })
}

interface Fields {
  readonly isFinished: boolean
  readonly fileUrl: string
  readonly fileType: string
  readonly percent: number
}

function outcome ({ isFinished, fileUrl, fileType, percent }: Fields): ConversionAnswer {
  if (!isFinished) return { percent: percent >= 0 && percent <= 100 ? percent : 0 }
  if (fileUrl === '') throw new ConversionFailedError('it finished without a file')
  return { fileUrl, percent: 100, ...(/^\.?\w{1,16}$/.test(fileType) && { fileType: fileType.replace('.', '').toLowerCase() }) }
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
