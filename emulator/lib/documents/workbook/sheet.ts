import {
  attributeOf, elements, firstElement, isTrue, type Markup, prefixOf, withAttribute, withoutEnd
} from './markup.js'
import {
  cellName, columnNumber, isIn, MAX_COLUMN, oneCell, type Position, type Range, rangeName, rangeOf, union
} from './references.js'

/** A row of a sheet as written. Its cells are parsed when needed. */
interface Row {
  readonly number: number
  /** The text between the previous row and this one. */
  readonly before: string
  tag: string
  content: string
  readonly end: string
  cells?: Map<number, Markup>
}

/** The XML of a sheet. Its cells can be replaced; everything else keeps its bytes. */
export interface SheetPart {
  /** The numbers of the rows in the file, in order. */
  rows (): number[]
  /** The cells of a row, by column. */
  cells (row: number): ReadonlyMap<number, Markup>
  cell (position: Position): Markup | undefined
  /** The cell, or an empty one with the style of its row or column. */
  cellOrNew (position: Position): Markup
  put (position: Position, cell: string): void
  /** Replaces existing cells. Many cells of a row take no longer than one. */
  replace (cells: ReadonlyArray<readonly [Position, string]>): void
  isHiddenRow (row: number): boolean
  readonly merged: readonly Range[]
  readonly columns: readonly ColumnLook[]
  readonly isProtected: boolean
  xml (): string
}

export interface ColumnLook {
  readonly from: number
  readonly to: number
  /** In characters. */
  readonly width: number | null
  readonly hidden: boolean
  readonly style: string | undefined
}

/** Shared, because a sheet may have a million empty rows. */
const NO_CELLS: ReadonlyMap<number, Markup> = new Map()

export function openSheet (source: string): SheetPart {
  const data = firstElement(source, 'sheetData')
  if (data === undefined) throw new TypeError('A sheet has no sheetData')
  const prefix = prefixOf(data.tag)
  let head = source.slice(0, data.from)
  const tail = source.slice(data.to)
  const rows = new Map<number, Row>()
  let rest = ''
  readRows(data.content)

  const columns = [...elements(head, 'col')].slice(0, MAX_COLUMN).map(({ tag }): ColumnLook => ({
    from: Number(attributeOf(tag, 'min')),
    to: Number(attributeOf(tag, 'max')),
    width: attributeOf(tag, 'width') === undefined ? null : Number(attributeOf(tag, 'width')),
    hidden: isTrue(attributeOf(tag, 'hidden')),
    style: attributeOf(tag, 'style')
  }))
  const merged = [...elements(tail, 'mergeCell')].flatMap(({ tag }) => rangeOf(attributeOf(tag, 'ref') ?? '') ?? [])
  const protection = firstElement(tail, 'sheetProtection')

  function readRows (content: string): void {
    let [number, at] = [0, 0]
    for (const { tag, content: cells, from, to, contentFrom } of elements(content, 'row')) {
      number = Number(attributeOf(tag, 'r') ?? number + 1)
      // A duplicate row number is invalid: the later row is kept unchanged.
      if (rows.has(number)) continue
      rows.set(number, {
        number,
        before: content.slice(at, from),
        tag,
        content: cells,
        end: content.slice(contentFrom + cells.length, to)
      })
      at = to
    }
    rest = content.slice(at)
  }

  function cellsOf (row: Row): ReadonlyMap<number, Markup> {
    if (row.content === '') return NO_CELLS
    if (row.cells !== undefined) return row.cells
    const cells = new Map<number, Markup>()
    let column = 0
    for (const cell of elements(row.content, 'c')) {
      const name = attributeOf(cell.tag, 'r')
      column = name === undefined ? column + 1 : columnNumber(/^[A-Z]*/i.exec(name)![0])
      if (!cells.has(column)) cells.set(column, cell)
      if (cells.size === MAX_COLUMN) break
    }
    row.cells = cells
    return cells
  }

  function rowFor (number: number): Row {
    const known = rows.get(number)
    if (known !== undefined) return known
    const row: Row = { number, before: '', tag: `<${prefix}row r="${number}">`, content: '', end: `</${prefix}row>` }
    const later = [...rows].filter(([other]) => other > number)
    for (const [other] of later) rows.delete(other)
    rows.set(number, row)
    for (const [other, moved] of later) rows.set(other, moved)
    return row
  }

  function cellOrNew (position: Position): Markup {
    const row = rows.get(position.row)
    const known = row === undefined ? undefined : cellsOf(row).get(position.column)
    if (known !== undefined) return known
    const ofRow = row !== undefined && isTrue(attributeOf(row.tag, 'customFormat'))
      ? attributeOf(row.tag, 's')
      : undefined
    const style = ofRow ?? columns.find(({ from, to }) => position.column >= from && position.column <= to)?.style
    const tag = `<${prefix}c r="${cellName(position)}"${style === undefined || style === '0' ? '' : ` s="${style}"`}/>`
    return { name: 'c', tag, content: '', from: 0, to: 0, contentFrom: 0 }
  }

  function put (position: Position, cell: string): void {
    const row = rowFor(position.row)
    const cells = cellsOf(row)
    const known = cells.get(position.column)
    const next = [...cells].reduce<number | undefined>((least, [column, { from }]) => {
      return column > position.column && (least === undefined || from < least) ? from : least
    }, undefined)
    const [from, to] = known === undefined ? [next ?? endOfCells(row), next ?? endOfCells(row)] : [known.from, known.to]
    row.content = row.content.slice(0, from) + cell + row.content.slice(to)
    if (row.tag.endsWith('/>')) Object.assign(row, { tag: `${withoutEnd(row.tag)}>`, end: `</${prefix}row>` })
    if (known === undefined) row.tag = withAttribute(row.tag, 'spans', undefined)
    delete row.cells
    grow(position)
  }

  function replace (cells: ReadonlyArray<readonly [Position, string]>): void {
    const byRow = new Map<Row, Array<{ readonly known: Markup, readonly cell: string }>>()
    for (const [{ row: number, column }, cell] of cells) {
      const row = rows.get(number)!
      const known = cellsOf(row).get(column)!
      byRow.set(row, byRow.get(row) ?? []).get(row)!.push({ known, cell })
    }
    for (const [row, ofRow] of byRow) {
      let [content, at] = ['', 0]
      for (const { known, cell } of ofRow.sort((one, other) => one.known.from - other.known.from)) {
        content += row.content.slice(at, known.from) + cell
        at = known.to
      }
      row.content = content + row.content.slice(at)
      delete row.cells
    }
  }

  /** The end of the last cell. Unknown elements may follow. */
  function endOfCells (row: Row): number {
    return [...cellsOf(row).values()].reduce((last, { to }) => Math.max(last, to), 0)
  }

  function grow (position: Position): void {
    const dimension = firstElement(head, 'dimension')
    const range = dimension === undefined ? undefined : rangeOf(attributeOf(dimension.tag, 'ref') ?? '')
    if (dimension === undefined || range === undefined || isIn(position, range)) return
    const tag = withAttribute(dimension.tag, 'ref', rangeName(union(range, oneCell(position))))
    head = head.slice(0, dimension.from) + tag + head.slice(dimension.from + dimension.tag.length)
  }

  return {
    rows: () => [...rows.keys()].sort((a, b) => a - b),
    cells: row => rows.has(row) ? cellsOf(rows.get(row)!) : new Map(),
    cell: ({ row, column }) => rows.has(row) ? cellsOf(rows.get(row)!).get(column) : undefined,
    cellOrNew,
    put,
    replace,
    isHiddenRow: row => rows.has(row) && isTrue(attributeOf(rows.get(row)!.tag, 'hidden')),
    merged,
    columns,
    isProtected: protection !== undefined && isTrue(attributeOf(protection.tag, 'sheet')),
    xml () {
      const written = [...rows.values()].map(({ before, tag, content, end }) => before + tag + content + end).join('') +
        rest
      const [start, end] = written === '' || data.content !== '' || data.tag.endsWith('/>') === false
        ? [data.tag, source.slice(data.contentFrom + data.content.length, data.to)]
        : [`${withoutEnd(data.tag)}>`, `</${prefix}sheetData>`]
      return head + start + written + end + tail
    }
  }
}
