import type { Document, Element } from '@xmldom/xmldom'
import type { GridCell } from '../grid.js'
import { attribute, childElements, elements } from '../office/elements.js'
import type { OfficePackage } from '../office/package.js'
import { parseXml, xmlBudget } from '../office/xml.js'
import { centimetres, CONTENT_PART } from '../open-document/read.js'
import { TABLE } from '../open-document/styles.js'
import type { CellStyle } from '../workbook/styles.js'
import { filledBy, filledByPivot, type Lock, lock, protectedSheet } from '../workbook/locked.js'
import { MAX_COLUMN, MAX_ROW, type Position, type Range, rangeOf } from '../workbook/references.js'
import type { ColumnLook } from '../workbook/sheet.js'
import { isFilled, shownCell } from './cells.js'
import { plainCells } from './formula.js'
import { countOf, type Run, runAt, runs } from './runs.js'
import { stylesOf } from './styles.js'

const CHARACTERS_PER_CENTIMETRE = 5
const EMPTY: GridCell = { value: '', text: '' }

export interface OpenSheet {
  readonly name: string
  readonly hidden: boolean
  readonly table: Element
  readonly columns: readonly ColumnLook[]
  readonly locks: readonly Lock[]
  look (row: Element | undefined, cell: Element | undefined, column: number): CellStyle
  /** Gives a cell another format. */
  setFormat (row: Element, cell: Element, column: number, format: string): void
}

/** A run of cells that are not empty. */
export interface Filled {
  readonly row: Run
  readonly cell: Run
}

export interface OpenSheets {
  readonly content: Document
  readonly sheets: readonly OpenSheet[]
}

/** Throws for a file without sheets, or with too many cells. */
export function openSheets (office: OfficePackage): OpenSheets {
  const budget = xmlBudget()
  const content = parseXml(office.text(CONTENT_PART) ?? '<none/>', budget)
  const common = office.text('styles.xml')
  const styles = stylesOf(content, common === undefined ? undefined : parseXml(common, budget))
  const [body] = elements(content, 'spreadsheet')
  if (body === undefined) throw new TypeError(`${CONTENT_PART} has no sheets`)
  const pivots = elements(body, 'data-pilot-table').map(pivot => attribute(pivot, 'target-range-address') ?? '')

  function openSheet (table: Element): OpenSheet {
    const name = attribute(table, 'name') ?? ''
    const display = styles.property('table', attribute(table, 'style-name'), 'display', 'table-properties')
    const columns = [...runs(table, 'column')].filter(({ from }) => from <= MAX_COLUMN).map(columnLook)
    function styleOf (row: Element | undefined, cell: Element | undefined, column: number): string | undefined {
      const own = cell === undefined ? undefined : attribute(cell, 'style-name')
      const ofRow = row === undefined ? undefined : attribute(row, 'default-cell-style-name')
      return own ?? ofRow ?? columns.find(({ from, to }) => column >= from && column <= to)?.style
    }

    return {
      name,
      table,
      columns,
      hidden: display === 'false',
      locks: attribute(table, 'protected') === 'true'
        ? [protectedSheet()]
        : [...formulaLocks(table), ...pivots.flatMap(address => pivotLock(name, address))],
      look: (row, cell, column) => styles.look(styleOf(row, cell, column)),
      setFormat (row, cell, column, format) {
        const style = styles.withFormat(styleOf(row, cell, column), format)
        if (style !== undefined) cell.setAttributeNS(TABLE, 'table:style-name', style)
      }
    }
  }

  function columnLook ({ element, from, count }: Run): ColumnLook {
    const style = attribute(element, 'style-name')
    const width = styles.property('table-column', style, 'column-width', 'table-column-properties')
    return {
      from,
      to: from + count - 1,
      width: width === undefined ? null : Math.round(centimetres(width) * CHARACTERS_PER_CENTIMETRE),
      hidden: isHidden(element),
      style: attribute(element, 'default-cell-style-name')
    }
  }

  return { content, sheets: childElements(body).filter(({ localName }) => localName === 'table').map(openSheet) }
}

export function isHidden (line: Element): boolean {
  return (attribute(line, 'visibility') ?? 'visible') !== 'visible'
}

export function * filled (table: Element): Generator<Filled> {
  for (const row of runs(table, 'row')) {
    if (row.from > MAX_ROW) return
    for (const cell of runs(row.element, 'cell')) {
      if (cell.from <= MAX_COLUMN && isFilled(cell.element)) yield { row, cell }
    }
  }
}

export function cellAt (sheet: OpenSheet, { row, column }: Position): { cell?: Element, look: CellStyle } {
  const line = runAt(sheet.table, 'row', row)?.element
  const cell = line === undefined ? undefined : runAt(line, 'cell', column)?.element
  return { ...(cell !== undefined && { cell }), look: sheet.look(line, cell, column) }
}

export function shownAt (sheet: OpenSheet, position: Position): GridCell {
  const { cell, look } = cellAt(sheet, position)
  return cell === undefined || !isFilled(cell) ? EMPTY : shownCell(cell, look)
}

/** The cells that a formula fills, or that a run of formulas is in. */
export function areaOf ({ row, cell }: Filled): Range {
  const { element } = cell
  const rows = Math.max(row.count, countOf(element, 'number-matrix-rows-spanned'))
  const columns = Math.max(cell.count, countOf(element, 'number-matrix-columns-spanned'))
  return {
    top: row.from,
    left: cell.from,
    bottom: Math.min(row.from + rows - 1, MAX_ROW),
    right: Math.min(cell.from + columns - 1, MAX_COLUMN)
  }
}

/** One for formulas below each other, because a page looks through all of them. */
function formulaLocks (table: Element): Lock[] {
  const locks: Lock[] = []
  const above = new Map<string, number>()
  for (const { row, cell } of filled(table)) {
    if (attribute(cell.element, 'formula') === undefined) continue
    const area = areaOf({ row, cell })
    if (attribute(cell.element, 'number-matrix-columns-spanned') !== undefined) {
      locks.push(filledBy(area))
      continue
    }
    const key = `${area.left} ${area.right}`
    const index = above.get(key) ?? locks.length
    const top = locks[index]?.area.bottom === area.top - 1 ? locks[index].area.top : area.top
    const at = top === area.top ? locks.length : index
    above.set(key, at)
    locks[at] = lock({ ...area, top }, 'Formulas of .ods files are not edited here')
  }
  return locks
}

function pivotLock (sheet: string, address: string): Lock[] {
  const [, quoted, cells = ''] = /^'((?:[^']|'')*)'!(.*)$/.exec(plainCells(address) ?? '') ?? []
  const area = rangeOf(cells)
  return area === undefined || quoted?.replaceAll("''", "'") !== sheet ? [] : [filledByPivot(area)]
}

/** Merged cells in the first rows. */
export function merged (table: Element, rows: number): Range[] {
  return [...runs(table, 'row')].filter(({ from }) => from <= rows).flatMap(row =>
    [...runs(row.element, 'cell')].flatMap(({ element, from: left }) => {
      const down = countOf(element, 'number-rows-spanned')
      const right = Math.min(left + countOf(element, 'number-columns-spanned') - 1, MAX_COLUMN)
      if (down === 1 && right === left) return []
      return linesOf(row, rows).map(top => ({ top, left, bottom: Math.min(top + down - 1, MAX_ROW), right }))
    }))
}

/** The numbers that a run stands for, up to one. */
export function linesOf ({ from, count }: Run, most: number): number[] {
  return Array.from({ length: Math.max(0, Math.min(count, most + 1 - from)) }, (_, index) => from + index)
}
