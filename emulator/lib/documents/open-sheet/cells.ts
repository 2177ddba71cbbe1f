import type { Element } from '@xmldom/xmldom'
import { attribute, childElements, firstChild } from '../office/elements.js'
import type { GridCell } from '../grid.js'
import { textParts } from '../open-document/write.js'
import { OFFICE, TEXT } from '../open-document/styles.js'
import { GENERAL } from '../workbook/built-in-formats.js'
import { dateOrder, isDate, type CellStyle } from '../workbook/styles.js'
import { type CellValue, parseTyped, shownText, typedText } from '../workbook/values.js'
import { plainFormula } from './formula.js'
import { countOf } from './runs.js'

const VALUES = new Set(['value-type', 'value', 'date-value', 'time-value', 'boolean-value', 'string-value', 'currency'])
/** The format of truth values. */
export const BOOLEAN = 'BOOLEAN'
const MAX_SPACES = 1000
const DAY = 86_400_000
/** The days from the first one of OpenDocument to 1970. */
const DAYS_TO_1970 = 25_569

export function isFilled (cell: Element): boolean {
  return cell.localName === 'table-cell' &&
    (attribute(cell, 'value-type') ?? attribute(cell, 'formula') ?? firstChild(cell, 'p')) !== undefined
}

export function hasValue (cell: Element): boolean {
  return attribute(cell, 'value-type') !== undefined || firstChild(cell, 'p') !== undefined
}

export function cellText (cell: Element): string {
  const lines = childElements(cell).filter(({ localName }) => localName === 'p').map(plainText)
  return lines.length === 0 ? attribute(cell, 'string-value') ?? '' : lines.join('\n')
}

/** Spaces, tabs and line breaks are elements in OpenDocument. */
function plainText (parent: Element): string {
  let text = ''
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === node.TEXT_NODE) text += node.nodeValue!.replace(/[ \t\r\n]+/g, ' ')
    if (node.nodeType !== node.ELEMENT_NODE) continue
    const element = node as Element
    switch (element.localName) {
      case 's': text += ' '.repeat(Math.min(countOf(element, 'c'), MAX_SPACES)); break
      case 'tab': text += '\t'; break
      case 'line-break': text += '\n'; break
      case 'note': case 'annotation': break
      default: text += plainText(element)
    }
  }
  return text
}

export function shownCell (cell: Element, look: CellStyle): GridCell {
  const [formula, type] = [attribute(cell, 'formula'), attribute(cell, 'value-type') ?? 'string']
  const text = cellText(cell)
  const value = formula === undefined ? typedValue(cell, type, text, look) : `=${plainFormula(formula)}`
  const align = look.align ?? (type === 'string' ? 'left' : type === 'boolean' ? 'center' : 'right')
  return {
    value,
    text: text === '' && !(formula !== undefined && hasValue(cell)) ? value : text,
    ...(align === 'left' ? {} : { align }),
    ...(look.bold ? { bold: true } : {}),
    ...(formula !== undefined && !hasValue(cell) ? { stale: true } : {})
  }
}

function typedValue (cell: Element, type: string, text: string, look: CellStyle): string {
  const given = (name: string) => attribute(cell, name) ?? ''
  switch (type) {
    case 'float': case 'currency': case 'percentage': {
      const number = Number(given('value'))
      if (given('value') === '' || Number.isNaN(number)) return text
      return typedText(number, type === 'percentage' ? { ...look, format: '0%' } : look, false)
    }
    case 'boolean': return given('boolean-value').toUpperCase()
    case 'date': return given('date-value').replace('T', ' ')
    case 'time': {
      const [, hours = '0', minutes = '0', seconds = '0'] =
        /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?$/.exec(given('time-value')) ?? []
      return `${Number(hours)}:${minutes.padStart(2, '0')}:${seconds.replace(',', '.').padStart(2, '0')}`
    }
    default: return typedText(text, look, false)
  }
}

/** Writes what is typed; everything else in the cell stays. Returns the format for a cell without one. */
export function writeCell (cell: Element, text: string, look: CellStyle): string | undefined {
  const { value, format = look.format } = parseTyped(text, look, false)
  const [wasCurrency, currency] = [attribute(cell, 'value-type') === 'currency', attribute(cell, 'currency')]
  withoutValue(cell)
  if (value === null) return undefined
  const set = (name: string, value: string) => { cell.setAttributeNS(OFFICE, `office:${name}`, value) }
  const [type, name, written] = typeOf(value, format, wasCurrency)
  set('value-type', type)
  if (name !== undefined) set(name, written)
  if (type === 'currency' && currency !== undefined) set('currency', currency)
  const document = cell.ownerDocument!
  for (const line of (type === 'string' ? written : shownText(value, { ...look, format }, false)).split('\n')) {
    const paragraph = document.createElementNS(TEXT, 'text:p')
    for (const part of textParts(document, line)) paragraph.appendChild(part)
    cell.appendChild(paragraph)
  }
  const ofValue = type === 'boolean' ? BOOLEAN : format
  return look.format === GENERAL && ofValue !== GENERAL ? ofValue : undefined
}

/** The type of a value, the attribute that holds it, and what that says. */
function typeOf (value: CellValue, format: string, wasCurrency: boolean): [string, string | undefined, string] {
  if (typeof value === 'boolean') return ['boolean', 'boolean-value', String(value)]
  if (typeof value !== 'number') return ['string', undefined, typeof value === 'string' ? value : value?.error ?? '']
  if (isDate(format) && dateOrder(format) === '' && value >= 0) return ['time', 'time-value', duration(value)]
  if (isDate(format) && dateOrder(format) !== '') return ['date', 'date-value', isoDate(value)]
  return [format.includes('%') ? 'percentage' : wasCurrency ? 'currency' : 'float', 'value', String(value)]
}

function isoDate (days: number): string {
  const time = Math.round((days - DAYS_TO_1970) * DAY / 1000) * 1000
  return new Date(time).toISOString().slice(0, 19).replace('T00:00:00', '')
}

function duration (days: number): string {
  const seconds = Math.round(days * DAY) / 1000
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return `PT${hours}H${minutes}M${Math.round(seconds % 60 * 1000) / 1000}S`
}

export function withoutValue (cell: Element): void {
  for (const given of [...cell.attributes]) if (VALUES.has(given.localName!)) cell.removeAttributeNode(given)
  for (const child of childElements(cell)) if (child.localName === 'p') cell.removeChild(child)
}
