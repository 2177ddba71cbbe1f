import { type Document, XMLSerializer } from '@xmldom/xmldom'
import { elements } from '../office/elements.js'
import { type CellOperation, type GridCell, gridsOf } from '../grid.js'
import { openPackage } from '../office/package.js'
import { type Editable, refuseText } from '../types.js'
import { MAIN_PART, openWorkbook, type OpenSheet } from './open.js'
import { cellName, type Position, positionOf } from './references.js'
import { isFormula, parseTyped } from './values.js'

/** Excel's limit. */
const MAX_TEXT = 32_767
const CALCULATION_CHAIN = 'xl/calcChain.xml'
/** They come after `calcPr` in the order that Excel requires. */
const AFTER_CALCULATION = new Set([
  'oleSize', 'customWorkbookViews', 'pivotCaches', 'smartTagPr', 'smartTagTypes', 'webPublishing', 'fileRecoveryPr',
  'webPublishObjects', 'extLst'
])

/** A .xlsx whose cells are edited. Every other part stays unchanged. */
export function workbookDocument (original: Uint8Array): Editable {
  const office = openPackage(original)
  const { document, sheets, shown, styleOf } = openWorkbook(office)
  const visible = sheets.filter(({ hidden }) => !hidden)
  const changed = new Set<OpenSheet>()
  /** Displayed values of formulas whose stored value was removed. */
  const stale = new Map<string, GridCell>()
  let isOutdated = false
  let written: Uint8Array | null = original

  function view ({ name, content }: OpenSheet, position: Position): GridCell {
    return stale.get(`${name}!${cellName(position)}`) ?? shown(content(position))
  }

  /** With the first change all values of formulas are removed: the program that opens the file calculates them. */
  function outdate (): Record<string, GridCell> {
    const others: Record<string, GridCell> = {}
    if (isOutdated) return others
    isOutdated = true
    for (const sheet of sheets) {
      for (const [position, { formula, value }] of sheet.used()) {
        if (formula === null || value === null) continue
        const key = `${sheet.name}!${cellName(position)}`
        const before = { ...view(sheet, position), stale: true }
        stale.set(key, before)
        if (!sheet.hidden) others[key] = before
        sheet.forget(position)
        changed.add(sheet)
      }
    }
    return others
  }

  function apply ({ sheet: name, cell, value }: CellOperation): CellOperation | null {
    const sheet = visible.find(sheet => sheet.name === name)
    const position = positionOf(cell)
    if (sheet === undefined || position === undefined || !sheet.canBeSet(position)) return null
    const text = value.replace(/\r\n?/g, '\n').slice(0, MAX_TEXT).toWellFormed()
    if (view(sheet, position).value === text) return null
    const style = styleOf(sheet.content(position))
    const formula = isFormula(text, style) ? text.slice(1).trim() : null
    stale.delete(`${name}!${cellName(position)}`)
    sheet.set(position, formula === null ? parseTyped(text, style) : null, formula)
    changed.add(sheet)
    written = null
    const others = outdate()
    const now = view(sheet, position)
    return {
      op: 'cell',
      sheet: name,
      cell: cellName(position),
      value: now.value,
      shown: now,
      ...(Object.keys(others).length > 0 && { others })
    }
  }

  function bytes (): Uint8Array {
    if (written !== null) return written
    const serializer = new XMLSerializer()
    const parts = new Map<string, string | null>(
      [...changed].map(({ part, document }) => [part, serializer.serializeToString(document)])
    )
    calculateFully(document)
    parts.set(MAIN_PART, serializer.serializeToString(document))
    if (office.parts.has(CALCULATION_CHAIN)) withoutChain(parts)
    written = office.withParts(parts)
    return written
  }

  /** Office suites make it anew, and reject one that contains a cell without a formula. */
  function withoutChain (parts: Map<string, string | null>): void {
    parts.set(CALCULATION_CHAIN, null)
    for (const part of ['[Content_Types].xml', 'xl/_rels/workbook.xml.rels']) {
      parts.set(part, office.text(part)?.replace(/<(?:Override|Relationship)\b[^>]*calcChain[^>]*>/g, '') ?? null)
    }
  }

  return {
    view: () => ({
      kind: 'grid',
      sheets: gridsOf(visible.map(sheet => ({
        ...sheet,
        cells: sheet.used().map(([position]) => [position, () => view(sheet, position)] as const)
      })))
    }),
    apply: operation => operation.op === 'cell' ? apply(operation) : null,
    replaceText: refuseText,
    bytes
  }
}

/** Makes the program that opens the workbook calculate its formulas. */
function calculateFully (workbook: Document): void {
  const root = workbook.documentElement!
  const known = elements(workbook, 'calcPr')[0]
  const calculation = known ??
    workbook.createElementNS(root.namespaceURI, root.prefix ? `${root.prefix}:calcPr` : 'calcPr')
  calculation.setAttribute('fullCalcOnLoad', '1')
  if (known !== undefined) return
  root.insertBefore(calculation, [...root.childNodes].find(({ localName }) => AFTER_CALCULATION.has(localName ?? '')) ?? null)
}
