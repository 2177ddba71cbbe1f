import { format, isDateFormat, parseValue } from 'numfmt'

/** The value of a cell; `null` if empty. An error has Excel's name: `#DIV/0!`. */
export type CellValue = number | string | boolean | null | { readonly error: string }

/** The displayed part of a cell's style. */
export interface CellStyle {
  /** The number format as in `styles.xml`. */
  readonly format: string
  readonly bold: boolean
  readonly align: 'left' | 'center' | 'right' | null
  /** `#f1e4d3` */
  readonly fill: string | null
}

const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,3})?$/i
const ISO_DATE = /^\d{4}-\d\d-\d\d(?: \d\d?:\d\d(?::\d\d)?)?$/
/** Excel's limit. */
const MAX_FORMULA = 8192

/** The displayed text of a value. */
export function shownText (value: CellValue, { format: code }: CellStyle): string {
  if (value === null) return ''
  if (typeof value === 'object') return value.error
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  try {
    return format(code, value, { nbsp: false })
  } catch {
    return String(value)
  }
}

/** What a user types to get a value. */
export function typedText (value: CellValue, style: CellStyle): string {
  if (typeof value === 'string') {
    const isTaken = isFormula(value, style) || (value !== '' && parseTyped(value, style) !== value)
    return isTaken ? `'${value}` : value
  }
  if (typeof value !== 'number') return shownText(value, style)
  if (!isDateFormat(style.format) || value < 0) return String(Number(value.toPrecision(15)))
  return format(Number.isInteger(value) ? 'yyyy-mm-dd' : 'yyyy-mm-dd hh:mm:ss', value)
}

/**
 * Whether a text is written as a formula. Office suites reject the whole file for one that they can't read, so one
 * whose quotes or brackets are open is a text.
 */
export function isFormula (text: string, { format: code }: CellStyle): boolean {
  if (text.length < 2 || text.length > MAX_FORMULA || !text.startsWith('=') || code === '@') return false
  const bare = text.slice(1).replace(/"[^"]*"|'[^']*'/g, 'x')
  let open = 0
  for (const character of bare) {
    if (character === '(') open++
    if (character === ')' && --open < 0) return false
  }
  return open === 0 && /[^-+*/^&=<>,:(\s]\s*$/.test(bare) && !/["']/.test(bare)
}

/** The value that a user means by typing a text into a cell. Not for formulas. */
export function parseTyped (text: string, { format: code }: CellStyle): CellValue {
  if (text === '') return null
  if (code === '@') return text
  if (text.startsWith("'")) return text.slice(1)
  const bare = text.trim()
  if (/^(?:true|false)$/i.test(bare)) return bare.toLowerCase() === 'true'
  if (NUMBER.test(bare) && Number.isFinite(Number(bare))) return Number(bare)
  const date = isDateFormat(code) && ISO_DATE.test(bare) ? parseValue(bare)?.v : undefined
  return typeof date === 'number' ? date : text
}
