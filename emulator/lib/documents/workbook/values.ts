import { format, parseValue } from 'numfmt'
import { GENERAL } from './built-in-formats.js'
import { dateOrder, isDate, type CellStyle } from './styles.js'

/** The value of a cell; `null` if empty. An error has Excel's name: `#DIV/0!`. */
export type CellValue = number | string | boolean | null | { readonly error: string }

export interface TypedValue {
  readonly value: CellValue
  /** The number format for a cell without one. */
  readonly format?: string
}

const ERROR = /^#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A)$/
const NUMBER = /^[-+]?(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d*)?(?:e[-+]?\d{1,3})?$/i
const ISO_DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d?:\d\d(?::\d\d)?)?$/
const DURATION = /^(\d{1,6}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?$/
/** The days between the first days of Excel's two calendars. */
const DAYS_TO_1904 = 1462

/** The displayed text of a value. */
export function shownText (value: CellValue, { format: code }: CellStyle, has1904: boolean): string {
  if (value === null) return ''
  if (typeof value === 'object') return value.error
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  const number = typeof value === 'number' && has1904 && isDate(code) ? value + DAYS_TO_1904 : value
  try {
    return format(code, number, { nbsp: false })
  } catch {
    return String(value)
  }
}

/** What a user types to get a value. */
export function typedText (value: CellValue, style: CellStyle, has1904: boolean): string {
  const code = style.format
  if (value === null) return ''
  if (typeof value === 'object') return value.error
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (typeof value === 'string') {
    const isTaken = isFormula(value, style) || (value !== '' && parseTyped(value, style, has1904).value !== value)
    return isTaken ? `'${value}` : value
  }
  if (isDate(code)) return typedDate(has1904 ? value + DAYS_TO_1904 : value, code)
  return code.includes('%') ? `${rounded(value * 100)}%` : rounded(value)
}

function rounded (number: number): string {
  return String(Number(number.toPrecision(15)))
}

function typedDate (serial: number, code: string): string {
  if (serial < 0) return rounded(serial)
  const hasTime = Math.abs(serial - Math.round(serial)) > 1e-6
  if (dateOrder(code) === '') return format('[h]:mm:ss', serial)
  return format(hasTime ? 'yyyy-mm-dd hh:mm:ss' : 'yyyy-mm-dd', serial)
}

export function isFormula (text: string, { format: code }: CellStyle): boolean {
  return text.length > 1 && text.startsWith('=') && code !== '@'
}

/** The value that a user means by typing a text into a cell. Not for formulas. */
export function parseTyped (text: string, { format: code }: CellStyle, has1904: boolean): TypedValue {
  if (text === '') return { value: null }
  if (code === '@') return { value: text }
  if (isDate(code)) {
    const serial = dateSerial(text.trim(), code)
    if (serial !== undefined) return { value: has1904 && dateOrder(code) !== '' ? serial - DAYS_TO_1904 : serial }
  }
  const typed = valueOf(text)
  if (typed.format !== undefined && code !== GENERAL) return { value: typed.value }
  if (has1904 && typed.format !== undefined && isDate(typed.format)) {
    return { ...typed, value: Number(typed.value) - DAYS_TO_1904 }
  }
  return typed
}

function valueOf (text: string): TypedValue {
  if (text.startsWith("'")) return { value: text.slice(1) }
  const bare = text.trim()
  if (/^(?:true|false)$/i.test(bare)) return { value: /^true$/i.test(bare) }
  if (ERROR.test(bare)) return { value: { error: bare } }
  const percent = bare.endsWith('%')
  const digits = percent ? bare.slice(0, -1).trimEnd() : bare
  if (/\d/.test(digits) && NUMBER.test(digits)) {
    const number = Number(digits.replaceAll(',', ''))
    if (!Number.isFinite(number)) return { value: text }
    return percent
      ? { value: Number((number / 100).toPrecision(15)), format: Number.isInteger(number) ? '0%' : '0.00%' }
      : { value: number }
  }
  const date = ISO_DATE.test(bare) ? parseValue(bare.replace('T', ' '))?.v : undefined
  if (typeof date === 'number') return { value: date, format: bare.length > 10 ? 'yyyy-mm-dd hh:mm' : 'yyyy-mm-dd' }
  return { value: text }
}

/** Parses a date or time in ISO 8601, or in the order of the cell's own format. */
function dateSerial (text: string, code: string): number | undefined {
  const duration = DURATION.exec(text)
  if (duration !== null) return (Number(duration[1]) + Number(duration[2]) / 60 + Number(duration[3] ?? 0) / 3600) / 24
  const order = dateOrder(code)
  const parts = /^(\d{1,4})[./ -](\d{1,2})[./ -](\d{1,4})(?:[T ]+(\S.*))?$/.exec(text)
  if (parts === null || order.length !== 3 || /^\d{4}-/.test(text)) {
    const parsed = parseValue(text.replace(/(?<=\d)T(?=\d)/, ' '))
    return parsed !== null && typeof parsed.v === 'number' && parsed.z !== undefined && isDate(parsed.z)
      ? parsed.v
      : undefined
  }
  const at = (letter: string) => parts[1 + order.indexOf(letter)]!
  const year = at('y').length <= 2 ? String(Number(at('y')) + (Number(at('y')) < 30 ? 2000 : 1900)) : at('y')
  return dateSerial(
    `${year}-${at('m').padStart(2, '0')}-${at('d').padStart(2, '0')}${parts[4] === undefined ? '' : ` ${parts[4]}`}`,
    code
  )
}
