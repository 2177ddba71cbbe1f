import { columnName, columnNumber, MAX_COLUMN, MAX_ROW, type Range, rangeOf } from './references.js'

/** A range that a formula reads. `sheet` is absent for its own sheet. */
export interface Reading {
  readonly sheet?: string
  readonly range: Range
}

/** Excel's limit. */
export const MAX_LENGTH = 8192

/** The tokens of a formula as in files: English names, a comma between arguments. */
export const TOKEN = new RegExp([
  '(?<text>"(?:[^"]|"")*")',
  "(?<quoted>'(?:[^']|'')*'!)",
  '(?<bracket>\\[[^\\]]*\\])',
  '(?<array>\\{[^{}]*\\})',
  '(?<error>#[A-Z0-9/]+[!?]?)',
  '(?<columns>\\$?[A-Z]{1,3}:\\$?[A-Z]{1,3}(?![\\p{L}\\p{N}_.(!$]))',
  '(?<rows>\\$?[0-9]{1,7}:\\$?[0-9]{1,7}(?![\\p{L}\\p{N}_.(!$]))',
  '(?<cells>\\$?[A-Z]{1,3}\\$?[0-9]{1,7}(?::\\$?[A-Z]{1,3}\\$?[0-9]{1,7})?(?![\\p{L}\\p{N}_.(!$]))',
  '(?<number>[0-9]+(?:\\.[0-9]*)?(?:E[-+]?[0-9]+)?)',
  '(?<name>[\\p{L}_\\\\][\\p{L}\\p{N}_.\\\\?]*[(!]?)',
  '(?<colon>:)',
  '(?<operator><=|>=|<>|[-+*/^&=<>])',
  '(?<other>.)'
].join('|'), 'gisu')

/** Functions whose ranges can't be determined from the formula. */
const INDIRECT = /^(?:INDIRECT|OFFSET|CELL|GETPIVOTDATA|LAMBDA|LET|(?:_XLFN\.)?(?:_XLWS\.)?ANCHORARRAY)\($/i

/** The formula moved to another cell: references without `$` move, too. */
export function shiftFormula (formula: string, rows: number, columns: number): string {
  if (formula.length > MAX_LENGTH) return formula
  return formula.replace(TOKEN, (token, ...rest) => {
    const groups = rest.at(-1) as Record<string, string | undefined>
    return groups.cells === undefined && groups.columns === undefined && groups.rows === undefined
      ? token
      : shifted(token, rows, columns)
  })
}

function shifted (reference: string, rows: number, columns: number): string {
  let isLost = false
  const moved = reference.replace(
    /(\$?)([A-Z]+)|(\$?)([0-9]+)/gi,
    (part, fixed?: string, letters?: string, held?: string, digits?: string) => {
      if (fixed === '$' || held === '$') return part
      const number = letters === undefined ? Number(digits) + rows : columnNumber(letters) + columns
      if (number < 1 || number > (letters === undefined ? MAX_ROW : MAX_COLUMN)) isLost = true
      return letters === undefined ? String(number) : columnName(number)
    }
  )
  return isLost ? '#REF!' : moved
}

/** The ranges that a formula reads; `null` if they can't be determined, so that it may read anything. */
export function readingsOf (formula: string): Reading[] | null {
  if (formula.length > MAX_LENGTH) return null
  const readings: Reading[] = []
  let sheet: string | undefined
  for (const { groups = {} } of formula.matchAll(TOKEN)) {
    const { quoted, bracket, columns, rows, cells, name, colon } = groups
    if (bracket !== undefined || colon !== undefined) return null
    if (quoted !== undefined || name?.endsWith('!')) {
      sheet = quoted === undefined ? name!.slice(0, -1) : quoted.slice(1, -2).replaceAll("''", "'")
      if (/[[:]/.test(sheet)) return null
      continue
    }
    if (name !== undefined && !isHarmless(name)) return null
    const range = cells === undefined ? wholeLines(columns, rows) : rangeOf(cells)
    if (range !== undefined) readings.push(sheet === undefined ? { range } : { sheet, range })
    else if (cells !== undefined) return null
    sheet = undefined
  }
  return readings
}

function isHarmless (name: string): boolean {
  return name.endsWith('(') ? !INDIRECT.test(name) : /^(?:TRUE|FALSE)$/i.test(name)
}

function wholeLines (columns: string | undefined, rows: string | undefined): Range | undefined {
  if (columns !== undefined) {
    const [left = 1, right = 1] = columns.replaceAll('$', '').split(':').map(columnNumber).sort((a, b) => a - b)
    return { top: 1, bottom: MAX_ROW, left, right }
  }
  if (rows === undefined) return undefined
  const [top = 1, bottom = 1] = rows.replaceAll('$', '').split(':').map(Number).sort((a, b) => a - b)
  return { top, bottom, left: 1, right: MAX_COLUMN }
}
