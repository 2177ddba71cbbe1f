import { cellChange, type CellOperation, type GridCell, gridsOf, type WholeSheet } from '../grid.js'
import { openPackage } from '../office/package.js'
import { type Editable, refuseText } from '../types.js'
import { GENERAL } from './built-in-formats.js'
import { withoutValue, writeCell } from './cells.js'
import { isCovered, keyOf, type OpenSheet, openSheets } from './contents.js'
import { typedFormula } from './formula-syntax.js'
import { isIn, oneCell, type Position, positionOf } from './references.js'
import { withFullCalculation, withoutCalculationChain } from './recalculation.js'
import { calculatedFormulas } from './stale.js'
import { isFormula, parseTyped } from './values.js'

/** Excel's limit. */
const MAX_TEXT = 32_767

/** A .xlsx whose cells are edited in place. Every other part, and everything else in a sheet, stays unchanged. */
export function workbookDocument (original: Uint8Array): Editable {
  const office = openPackage(original)
  const { workbook, sheets, shown } = openSheets(office)
  const { styles } = workbook
  const byName = new Map(sheets.toReversed().map(sheet => [sheet.name, sheet]))
  const visible = sheets.filter(({ hidden }) => !hidden)
  const changed = new Set<OpenSheet>()
  /** Displayed values of formulas whose stored value was removed. */
  const stale = new Map<string, GridCell>()
  let calculated: ReturnType<typeof calculatedFormulas> | undefined
  let formulasChanged = false
  let written: Uint8Array | null = original

  function view (sheet: OpenSheet, position: Position): GridCell {
    return stale.get(keyOf(sheet.name, position)) ?? shown(sheet.content(position))
  }

  function formulas (): ReturnType<typeof calculatedFormulas> {
    if (calculated !== undefined) return calculated
    calculated = calculatedFormulas()
    for (const sheet of sheets) {
      for (const position of sheet.calculated()) {
        const { formula, value } = sheet.content(position)
        if (formula === null || !formula.plain || value === null) continue
        calculated.add(keyOf(sheet.name, position), sheet.name, formula.fills ?? oneCell(position), formula)
      }
    }
    return calculated
  }

  function put (sheet: OpenSheet, position: Position, cell: string): void {
    sheet.xml.put(position, cell)
    changed.add(sheet)
    written = null
  }

  /** Removes outdated values of formulas, so that the program that opens the file calculates them. */
  function takeOut (sheet: OpenSheet, position: Position): Record<string, GridCell> {
    const others: Record<string, GridCell> = {}
    const cells = new Map<OpenSheet, Array<[Position, string]>>()
    for (const key of formulas().changedBy(sheet.name, oneCell(position))) {
      const at = key.lastIndexOf('!')
      const other = byName.get(key.slice(0, at))!
      const place = positionOf(key.slice(at + 1))!
      const cell = other.xml.cell(place)
      if (cell === undefined) continue
      const before = { ...view(other, place), stale: true }
      cells.set(other, cells.get(other) ?? []).get(other)!.push([place, withoutValue(cell)])
      stale.set(key, before)
      if (!other.hidden) others[key] = before
    }
    for (const [other, replaced] of cells) {
      other.xml.replace(replaced)
      changed.add(other)
    }
    return others
  }

  function set (sheet: OpenSheet, position: Position, text: string): void {
    const { formula, style } = sheet.content(position)
    const look = styles.get(style)
    const own = isFormula(text, look) ? typedFormula(text.slice(1)) : null
    const typed = own !== null ? null : parseTyped(text, look, workbook.has1904)
    const format = typed?.format !== undefined && look.format === GENERAL
      ? styles.withFormat(style, typed.format)
      : style
    if (formula?.group !== undefined) sheet.ungroup(formula.group)
    formulasChanged ||= formula !== null || own !== null
    const key = keyOf(sheet.name, position)
    stale.delete(key)
    formulas().forget(key)
    put(sheet, position, writeCell(sheet.xml.cellOrNew(position), {
      value: typed?.value ?? null,
      formula: own,
      ...(format === style ? {} : { style: format })
    }))
  }

  function apply ({ sheet: name, cell, value }: CellOperation): CellOperation | null {
    const sheet = visible.find(sheet => sheet.name === name)
    const position = positionOf(cell)
    if (sheet === undefined || position === undefined || !canBeSet(sheet, position)) return null
    const text = value.replace(/\r\n?/g, '\n').slice(0, MAX_TEXT).toWellFormed()
    if (view(sheet, position).value === text) return null
    set(sheet, position, text)
    const others = takeOut(sheet, position)
    return cellChange(name, position, view(sheet, position), others)
  }

  function bytes (): Uint8Array {
    if (written !== null) return written
    const parts = new Map<string, string | null>([...changed].map(({ part, xml }) => [part, xml.xml()]))
    const stylesNow = styles.changed()
    if (stylesNow !== null) parts.set(workbook.stylesPart!, stylesNow)
    if (formulasChanged || stale.size > 0) parts.set(workbook.part, withFullCalculation(workbook))
    if (formulasChanged) {
      for (const [part, content] of withoutCalculationChain(office, workbook)) parts.set(part, content)
    }
    written = office.withParts(parts)
    return written
  }

  return {
    view: () => ({
      kind: 'grid',
      sheets: gridsOf(visible.map(sheet => wholeSheet(sheet, position => view(sheet, position))))
    }),
    apply: operation => operation.op === 'cell' ? apply(operation) : null,
    replaceText: refuseText,
    bytes
  }
}

function canBeSet (sheet: OpenSheet, position: Position): boolean {
  return !isCovered(position, sheet.xml.merged) && !sheet.locks().some(({ area }) => isIn(position, area))
}

function wholeSheet (sheet: OpenSheet, view: (position: Position) => GridCell): WholeSheet {
  const { name, xml } = sheet
  const used = [...sheet.used()]
  return {
    name,
    last: used.reduce(
      (so, { row, column }) => ({ row: Math.max(so.row, row), column: Math.max(so.column, column) }),
      { row: 0, column: 0 }
    ),
    * cells ({ rows, columns }) {
      for (const position of used) {
        if (position.row <= rows && position.column <= columns) yield [position, view(position)]
      }
    },
    merged: () => xml.merged,
    locked: sheet.locks(),
    columns: xml.columns,
    hiddenRows: () => xml.rows().filter(row => xml.isHiddenRow(row))
  }
}
