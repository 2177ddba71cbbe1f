import {
  attributeOf, elements, escaped, firstElement, type Markup, prefixOf, textOf, withAttribute, withoutEnd
} from './markup.js'
import { rangeOf, type Range } from './references.js'
import type { CellValue } from './values.js'

/** A cell's formula. */
export interface CellFormula {
  /** Without the equals sign; empty if another cell of the group has it. */
  readonly text: string
  /** The number of the group of cells that share the formula. */
  readonly group?: string
  /** The range that an array formula or a data table fills. */
  readonly fills?: Range
  /** False for array formulas, data tables and the like, which can't be displayed as a formula. */
  readonly plain: boolean
}

export interface CellContent {
  readonly value: CellValue
  readonly formula: CellFormula | null
  /** The number of its style. */
  readonly style: number
}

/** Reads a cell's element. `strings` are the workbook's shared strings. */
export function readCell (cell: Markup, strings: readonly string[]): CellContent {
  const style = Number(attributeOf(cell.tag, 's') ?? 0)
  if (cell.content === '') return { value: null, formula: null, style }
  const type = attributeOf(cell.tag, 't') ?? 'n'
  let value: CellValue = null
  let formula: CellFormula | null = null
  for (const { name, tag, content } of elements(cell.content, 'v', 'f', 'is')) {
    if (name === 'f') formula = readFormula(tag, content)
    else if (name === 'is') value = joinedText(content)
    else value = valueOf(type, textOf(content), strings)
  }
  return { value, formula, style }
}

function readFormula (tag: string, content: string): CellFormula {
  const type = attributeOf(tag, 't') ?? 'normal'
  const [group, fills] = [attributeOf(tag, 'si'), rangeOf(attributeOf(tag, 'ref') ?? '')]
  return {
    text: textOf(content),
    plain: type !== 'dataTable',
    ...(type === 'shared' && group !== undefined ? { group } : {}),
    ...((type === 'array' || type === 'dataTable') && fills !== undefined ? { fills } : {})
  }
}

function valueOf (type: string, text: string, strings: readonly string[]): CellValue {
  switch (type) {
    case 's': return strings[Number(text)] ?? ''
    case 'str': case 'inlineStr': return characters(text)
    case 'b': return text.trim() === '1' || text.trim() === 'true'
    case 'e': return { error: text }
    case 'd': return serialOf(text)
    default: return text.trim() === '' || !Number.isFinite(Number(text)) ? (text === '' ? null : text) : Number(text)
  }
}

/** Converts to days since Excel's day 0. */
function serialOf (iso: string): CellValue {
  const time = Date.parse(/T.*(?:Z|[-+]\d\d:\d\d)$/.test(iso) || !iso.includes('T') ? iso : `${iso}Z`)
  return Number.isNaN(time) ? iso : time / 86_400_000 + 25_569
}

/** The text of a string item, without phonetic guides. */
export function joinedText (content: string): string {
  return [...elements(content, 't', 'rPh')].map(({ name, content }) => name === 't' ? characters(textOf(content)) : '')
    .join('')
}

/** Decodes characters that XML can't contain, written as `_x0007_`. */
function characters (text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** The cell's element with new content. The style and unknown attributes are kept. */
export function writeCell (
  cell: Markup,
  { value, formula, style }: { value: CellValue, formula: string | null, style?: number }
): string {
  const prefix = prefixOf(cell.tag)
  const content = formula === null ? valueElement(prefix, value) : `<${prefix}f>${escaped(formula)}</${prefix}f>`
  let tag = ['t', 'cm', 'vm'].reduce((so, name) => withAttribute(so, name, undefined), cell.tag)
  const type = formula === null ? typeOf(value) : undefined
  if (style !== undefined) tag = withAttribute(tag, 's', String(style))
  return filled(type === undefined ? tag : withAttribute(tag, 't', type), content + restOf(cell))
}

/** The cell's element without the formula's stored value, or with the formula's own text. */
export function withoutValue (cell: Markup, own?: string): string {
  const prefix = prefixOf(cell.tag)
  const formula = firstElement(cell.content, 'f')
  const kept = own === undefined
    ? cell.content.slice(formula?.from ?? 0, formula?.to ?? 0)
    : `<${prefix}f>${escaped(own)}</${prefix}f>`
  return filled(withAttribute(cell.tag, 't', undefined), kept + restOf(cell))
}

/** Turns a shared formula into the cell's own. The value is kept. */
export function withOwnFormula (cell: Markup, own: string): string {
  const prefix = prefixOf(cell.tag)
  const formula = firstElement(cell.content, 'f')!
  return filled(
    cell.tag,
    `${cell.content.slice(0, formula.from)}<${prefix}f>${escaped(own)}</${prefix}f>${cell.content.slice(formula.to)}`
  )
}

function filled (tag: string, content: string): string {
  const name = /^<([^\s/>]+)/.exec(tag)![1]!
  return content === '' ? `${withoutEnd(tag)}/>` : `${withoutEnd(tag)}>${content}</${name}>`
}

function restOf (cell: Markup): string {
  let rest = cell.content
  for (const { from, to } of [...elements(cell.content, 'v', 'f', 'is')].reverse()) {
    rest = rest.slice(0, from) + rest.slice(to)
  }
  return rest.trim()
}

function typeOf (value: CellValue): string | undefined {
  if (typeof value === 'string') return 'inlineStr'
  if (typeof value === 'boolean') return 'b'
  return value !== null && typeof value === 'object' ? 'e' : undefined
}

function valueElement (prefix: string, value: CellValue): string {
  if (value === null) return ''
  if (typeof value === 'string') {
    const space = value === value.trim() && !/\s\s|\n/.test(value) ? '' : ' xml:space="preserve"'
    return `<${prefix}is><${prefix}t${space}>${escaped(withEscapes(value))}</${prefix}t></${prefix}is>`
  }
  const text = typeof value === 'object'
    ? value.error
    : typeof value === 'boolean'
      ? String(Number(value))
      : String(value)
  return `<${prefix}v>${escaped(text)}</${prefix}v>`
}

function withEscapes (text: string): string {
  return text.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      // eslint-disable-next-line no-control-regex
      /[\0-\x08\x0B-\x1F\uFFFE\uFFFF]/g,
      character => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
    )
}
