import { type Element, XMLSerializer } from '@xmldom/xmldom'
import { cellChange, type CellOperation, type GridCell, gridsOf, type WholeSheet } from '../grid.js'
import { attribute } from '../office/elements.js'
import { openPackage } from '../office/package.js'
import { CONTENT_PART } from '../open-document/read.js'
import { wellFormed } from '../prose/prose.js'
import { type Editable, refuseText } from '../types.js'
import { keyOf } from '../workbook/contents.js'
import { isIn, oneCell, type Position, positionOf } from '../workbook/references.js'
import { calculatedFormulas } from '../workbook/stale.js'
import { hasValue, isFilled, shownCell, withoutValue, writeCell } from './cells.js'
import { plainFormula } from './formula.js'
import { alone, runAt, runs } from './runs.js'
import { areaOf, cellAt, filled, isHidden, linesOf, merged, openSheets, type OpenSheet, shownAt } from './sheets.js'

/** LibreOffice's limit. */
const MAX_TEXT = 32_767

/** An .ods whose cells are edited in place. Every other part, and everything else in a sheet, stays unchanged. */
export function openDocumentSheets (original: Uint8Array): Editable {
  const office = openPackage(original)
  const { content, sheets } = openSheets(office)
  const byName = new Map(sheets.toReversed().map(sheet => [sheet.name, sheet]))
  const visible = sheets.filter(({ hidden }) => !hidden)
  /** Displayed values of formulas whose stored value was removed. */
  const stale = new Map<Element, GridCell>()
  let calculated: ReturnType<typeof calculatedFormulas> | undefined
  let saved: Uint8Array | null = original

  function formulas (): ReturnType<typeof calculatedFormulas> {
    if (calculated !== undefined) return calculated
    calculated = calculatedFormulas()
    for (const sheet of sheets) {
      for (const { row, cell } of filled(sheet.table)) {
        const formula = attribute(cell.element, 'formula')
        if (formula === undefined || !hasValue(cell.element)) continue
        const key = keyOf(sheet.name, { row: row.from, column: cell.from })
        calculated.add(key, sheet.name, areaOf({ row, cell }), { text: plainFormula(formula) })
      }
    }
    return calculated
  }

  /** Removes outdated values of formulas: LibreOffice calculates only those without one when it opens the file. */
  function takeOut (sheet: OpenSheet, position: Position): Record<string, GridCell> {
    const others: Record<string, GridCell> = {}
    for (const key of formulas().changedBy(sheet.name, oneCell(position))) {
      const at = key.lastIndexOf('!')
      const other = byName.get(key.slice(0, at))!
      const { cell, look } = cellAt(other, positionOf(key.slice(at + 1))!)
      if (cell === undefined) continue
      const shown = { ...shownCell(cell, look), stale: true }
      withoutValue(cell)
      stale.set(cell, shown)
      if (!other.hidden) others[key] = shown
    }
    return others
  }

  function apply ({ sheet: name, cell, value }: CellOperation): CellOperation | null {
    const sheet = visible.find(sheet => sheet.name === name)
    const position = positionOf(cell)
    if (sheet === undefined || position === undefined || !canBeSet(sheet, position)) return null
    const text = wellFormed(value.replace(/\r\n?/g, '\n').slice(0, MAX_TEXT))
    if (shownAt(sheet, position).value === text) return null
    const { look } = cellAt(sheet, position)
    if ((runAt(sheet.table, 'row', position.row)?.count ?? 1) > 1) calculated = undefined
    const row = alone(sheet.table, 'row', position.row)
    const written = alone(row, 'cell', position.column)
    const format = writeCell(written, text, look)
    if (format !== undefined) sheet.setFormat(row, written, position.column, format)
    saved = null
    const others = takeOut(sheet, position)
    return cellChange(name, position, shownAt(sheet, position), others)
  }

  return {
    view: () => ({ kind: 'grid', sheets: gridsOf(visible.map(sheet => wholeSheet(sheet, stale))) }),
    apply: operation => operation.op === 'cell' ? apply(operation) : null,
    replaceText: refuseText,
    bytes () {
      saved ??= office.withPart(CONTENT_PART, new XMLSerializer().serializeToString(content))
      return saved
    }
  }
}

function canBeSet (sheet: OpenSheet, position: Position): boolean {
  return cellAt(sheet, position).cell?.localName !== 'covered-table-cell' &&
    !sheet.locks.some(({ area }) => isIn(position, area))
}

function wholeSheet (sheet: OpenSheet, stale: ReadonlyMap<Element, GridCell>): WholeSheet {
  const { name, table, columns, locks } = sheet
  const last = { row: 0, column: 0 }
  for (const { row, cell } of filled(table)) {
    const { bottom, right } = areaOf({ row, cell })
    Object.assign(last, { row: Math.max(last.row, bottom), column: Math.max(last.column, right) })
  }
  return {
    name,
    last,
    columns,
    locked: locks,
    * cells (within) {
      for (const run of runs(table, 'row')) {
        const rows = linesOf(run, within.rows)
        const cells = rows.length === 0 ? [] : [...runs(run.element, 'cell')].filter(({ element }) => isFilled(element))
        const shown = cells.flatMap(cell => {
          const columns = linesOf(cell, within.columns)
          if (columns.length === 0) return []
          const { element } = cell
          const now = stale.get(element) ?? shownCell(element, sheet.look(run.element, element, cell.from))
          return columns.map(column => ({ column, now }))
        })
        for (const row of rows) for (const { column, now } of shown) yield [{ row, column }, now]
      }
    },
    merged: ({ rows }) => merged(table, rows),
    hiddenRows: ({ rows }) =>
      [...runs(table, 'row')].filter(({ element }) => isHidden(element)).flatMap(run => linesOf(run, rows))
  }
}
