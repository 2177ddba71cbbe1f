import type { Document, Element } from '@xmldom/xmldom'
import { attribute, childElements, elements, firstChild } from '../office/elements.js'
import { XML } from '../office/xml.js'
import type { LockedCells } from '../grid.js'
import {
  cellName, columnNumber, isIn, MAX_COLUMN, MAX_ROW, type Position, rangeName, rangeOf
} from './references.js'
import type { CellValue } from './values.js'

export interface CellContent {
  readonly value: CellValue
  /** Without the equals sign; empty if another cell has it for several. */
  readonly formula: string | null
  /** The number of its style. */
  readonly style: number
}

type Row = Readonly<{ element: Element, cells: Map<number, Element> }>

/** In pixels, of the font that the widths of columns are measured in. */
const CHARACTER_WIDTH = 7
const CELL_PADDING = 5

const EMPTY: CellContent = { value: null, formula: null, style: 0 }

/** The cells of a sheet, which are edited in its document. @param heads ranges whose cells name columns */
export function openSheet (document: Document, strings: readonly string[], heads: readonly string[]) {
  const root = document.documentElement!
  const data = firstChild(root, 'sheetData')
  if (data === undefined) throw new TypeError('A sheet has no sheetData')
  const rows = rowsIn(data)
  const listed = (name: string) => childElements(firstChild(root, name) ?? document.createElement('none'))
  const columns = listed('cols')
  const merged = listed('mergeCells').flatMap(cell => rangeOf(attribute(cell, 'ref') ?? '') ?? [])
  const isProtected = isTrue(firstChild(root, 'sheetProtection'), 'sheet')
  /** Cells that can't be edited, because something else defines their content. */
  const locked: readonly LockedCells[] = isProtected
    ? [{ range: rangeName({ top: 1, left: 1, bottom: MAX_ROW, right: MAX_COLUMN }), why: 'This sheet is protected' }]
    : [
        ...heads.map(range => ({ range, why: 'The heads of a table are the names of its columns' })),
        ...elements(data, 'f').map(formula => attribute(formula, 'ref') ?? '').filter(range => range.includes(':'))
          .map(range => ({ range, why: 'One formula fills these cells' }))
      ]
  const areas = locked.flatMap(({ range }) => rangeOf(range) ?? [])
  const cellAt = ({ row, column }: Position) => rows.get(row)?.cells.get(column)
  const columnAt = (column: number) =>
    columns.find(element => column >= Number(attribute(element, 'min')) && column <= Number(attribute(element, 'max')))

  function content (position: Position): CellContent {
    const cell = cellAt(position)
    return cell === undefined ? EMPTY : readCell(cell, strings)
  }

  function create (name: string, text?: string): Element {
    const element = document.createElementNS(root.namespaceURI, root.prefix ? `${root.prefix}:${name}` : name)
    if (text !== undefined) element.appendChild(document.createTextNode(text))
    if (text !== undefined && (text !== text.trim() || /\s\s|\n/.test(text))) {
      element.setAttributeNS(XML, 'xml:space', 'preserve')
    }
    return element
  }

  function rowFor (number: number): Row {
    const known = rows.get(number)
    if (known !== undefined) return known
    const element = create('row')
    element.setAttribute('r', String(number))
    data!.insertBefore(element, after(rows, number)?.element ?? null)
    const row = { element, cells: new Map<number, Element>() }
    rows.set(number, row)
    return row
  }

  /** A new cell has the style of its row or column. */
  function cellFor (position: Position): Element {
    const { element, cells } = rowFor(position.row)
    const known = cells.get(position.column)
    if (known !== undefined) return known
    const cell = create('c')
    cell.setAttribute('r', cellName(position))
    const style = isTrue(element, 'customFormat')
      ? attribute(element, 's')
      : attribute(columnAt(position.column) ?? cell, 'style')
    if (style !== undefined && style !== '0') cell.setAttribute('s', style)
    element.removeAttribute('spans')
    element.insertBefore(cell, after(cells, position.column) ?? null)
    cells.set(position.column, cell)
    const dimension = firstChild(root, 'dimension') // it may grow
    if (dimension !== undefined) root.removeChild(dimension)
    return cell
  }

  return {
    document,
    merged,
    locked,
    hiddenRows: [...rows].filter(([, { element }]) => isTrue(element, 'hidden')).map(([number]) => number),
    isHiddenColumn: (column: number) => isTrue(columnAt(column), 'hidden'),
    widthOf (column: number): number | undefined {
      const characters = Number(attribute(columnAt(column) ?? root, 'width'))
      return characters > 0 ? Math.round(characters * CHARACTER_WIDTH + CELL_PADDING) : undefined
    },
    /** The cells that are not empty, row by row. */
    used: () => [...rows].sort(([one], [other]) => one - other).flatMap(([row, { cells }]) =>
      [...cells].sort(([one], [other]) => one - other).flatMap(([column, cell]) =>
        cell.firstChild === null ? [] : [[{ row, column }, readCell(cell, strings)] as const])),
    content,
    canBeSet: (position: Position) => content(position).formula !== '' && !areas.some(area => isIn(position, area)) &&
      !merged.some(range => isIn(position, range) && (position.row !== range.top || position.column !== range.left)),
    set (position: Position, value: CellValue, formula: string | null): void {
      const cell = cellFor(position)
      for (const child of childElements(cell)) if (/^(?:v|f|is)$/.test(child.localName!)) cell.removeChild(child)
      for (const name of ['t', 'cm', 'vm']) cell.removeAttribute(name)
      const type = formula === null ? typeOf(value) : undefined
      if (type !== undefined) cell.setAttribute('t', type)
      const written = formula !== null ? create('f', formula) : valueElement(value)
      if (written !== null) cell.insertBefore(written, cell.firstChild)
    },
    /** Removes the stored value of a formula. */
    forget (position: Position): void {
      const cell = cellAt(position)
      const value = firstChild(cell, 'v')
      if (value !== undefined) cell!.removeChild(value)
      cell?.removeAttribute('t')
    }
  }

  function valueElement (value: CellValue): Element | null {
    if (value === null) return null
    if (typeof value !== 'string') return create('v', typeof value === 'object' ? value.error : String(Number(value)))
    const item = create('is')
    item.appendChild(create('t', withEscapes(value)))
    return item
  }
}

function rowsIn (data: Element): Map<number, Row> {
  const rows = new Map<number, Row>()
  let number = 0
  for (const element of childElements(data).filter(({ localName }) => localName === 'row')) {
    number = Number(attribute(element, 'r') ?? number + 1)
    if (rows.has(number)) continue // invalid: the later row is kept unchanged
    const cells = new Map<number, Element>()
    let column = 0
    for (const cell of childElements(element).filter(({ localName }) => localName === 'c')) {
      const name = attribute(cell, 'r')
      column = name === undefined ? column + 1 : columnNumber(/^[A-Z]*/i.exec(name)![0])
      if (!cells.has(column)) cells.set(column, cell)
    }
    rows.set(number, { element, cells })
  }
  return rows
}

/** What comes next after a number. */
function after<Value> (values: ReadonlyMap<number, Value>, number: number): Value | undefined {
  const next = [...values.keys()].reduce((least, other) => other > number ? Math.min(least, other) : least, Infinity)
  return values.get(next)
}

function readCell (cell: Element, strings: readonly string[]): CellContent {
  const formula = firstChild(cell, 'f')
  const item = firstChild(cell, 'is')
  const text = firstChild(cell, 'v')?.textContent ?? undefined
  const stored = text === undefined ? null : valueOf(attribute(cell, 't') ?? 'n', text, strings)
  return {
    value: item === undefined ? stored : textOf(item),
    formula: formula === undefined ? null : formula.textContent ?? '',
    style: Number(attribute(cell, 's') ?? 0)
  }
}

function valueOf (type: string, text: string, strings: readonly string[]): CellValue {
  switch (type) {
    case 's': return strings[Number(text)] ?? ''
    case 'str': case 'inlineStr': return characters(text)
    case 'b': return text.trim() === '1' || text.trim() === 'true'
    case 'e': return { error: text }
    default: return text.trim() === '' || !Number.isFinite(Number(text)) ? text || null : Number(text)
  }
}

function typeOf (value: CellValue): string | undefined {
  if (typeof value === 'string') return 'inlineStr'
  if (typeof value === 'boolean') return 'b'
  return value !== null && typeof value === 'object' ? 'e' : undefined
}

function withEscapes (text: string): string {
  return text.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      // eslint-disable-next-line no-control-regex
      /[\0-\x08\x0B-\x1F\uFFFE\uFFFF]/g,
      character => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
    )
}

/** The text of a string item, without phonetic guides. */
export function textOf (item: Element): string {
  return elements(item, 't').filter(({ parentNode }) => parentNode?.localName !== 'rPh')
    .map(({ textContent }) => characters(textContent ?? '')).join('')
}

/** Decodes characters that XML can't contain, written as `_x0007_`. */
function characters (text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

export function isTrue (element: Element | undefined, name: string): boolean {
  return element !== undefined && /^(?:1|true)$/.test(attribute(element, name) ?? '')
}
