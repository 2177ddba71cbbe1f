import type { OfficePackage } from '../office/package.js'
import type { GridCell } from '../grid.js'
import { type CellContent, readCell, withOwnFormula } from './cells.js'
import { shiftFormula } from './formulas.js'
import { filledBy, type Lock, lockedCells } from './locked.js'
import { openWorkbook, type Workbook, type WorkbookSheet } from './open.js'
import { cellName, isIn, oneCell, type Position, type Range } from './references.js'
import { openSheet, type SheetPart } from './sheet.js'
import { shownText, typedText } from './values.js'

/** A sheet with access to its cells. */
export interface OpenSheet extends WorkbookSheet {
  readonly xml: SheetPart
  locks (): readonly Lock[]
  /** The content of a cell; a shared formula as the cell's own. */
  content (position: Position): CellContent
  /** Non-empty cells, in order. */
  used (): Iterable<Position>
  /** The length of each formula, in characters. */
  formulaLengths (): number[]
  /** The cells with a formula. */
  calculated (): Iterable<Position>
  /** Replaces the shared formula of a group by a formula in each cell. */
  ungroup (group: string): void
}

export interface OpenSheets {
  readonly workbook: Workbook
  readonly sheets: readonly OpenSheet[]
  shown (content: CellContent): GridCell
}

/** This many tags take about 300 MB of memory once all rows have been read. */
const MAX_TAGS = 3_000_000
/** Limit for all formulas together, when each cell of a group has its own. */
const MAX_FORMULA_CHARACTERS = 5_000_000
const CHARACTERS_OF_CELL = 40

/** Throws a `RangeError` for a workbook that is too large, or whose formulas are. */
export function openSheets (file: OfficePackage): OpenSheets {
  const office = upTo(MAX_TAGS, file)
  const workbook = openWorkbook(office)
  const sheets = workbook.sheets.map(sheet => {
    const source = office.text(sheet.part)
    if (source === undefined) throw new TypeError(`The workbook has no ${sheet.part}`)
    const xml = openSheet(source)
    return { ...sheet, xml, ...contentsOf(xml, workbook.strings, lockedCells(office, sheet.part, xml)) }
  })
  let characters = 0
  for (const sheet of sheets) {
    for (const length of sheet.formulaLengths()) characters += length + CHARACTERS_OF_CELL
  }
  if (characters > MAX_FORMULA_CHARACTERS) throw new RangeError('its formulas are too long')

  return {
    workbook,
    sheets,
    shown (content) {
      const style = workbook.styles.get(content.style)
      const { value, formula } = content
      const typed = formula === null ? typedText(value, style, workbook.has1904) : `=${formula.text}`
      const isNumber = typeof value === 'number'
      const align = style.align ??
        (isNumber ? 'right' : value !== null && typeof value !== 'string' ? 'center' : 'left')
      return {
        value: typed,
        text: value === null && formula !== null ? typed : shownText(value, style, workbook.has1904),
        ...(align === 'left' ? {} : { align }),
        ...(style.bold ? { bold: true } : {}),
        ...(value === null && formula !== null ? { stale: true } : {})
      }
    }
  }
}

/** Counts the tags of everything that is read, even repeatedly. */
function upTo (most: number, office: OfficePackage): OfficePackage {
  let tags = 0
  return {
    ...office,
    text (part) {
      const source = office.text(part)
      for (let at = source?.indexOf('<') ?? -1; at !== -1; at = source!.indexOf('<', at + 1)) {
        if (++tags > most) throw new RangeError('it has too many cells')
      }
      return source
    }
  }
}

function contentsOf (xml: SheetPart, strings: readonly string[], otherLocks: readonly Lock[]) {
  /** Shared formulas by the number of their group: the cell that contains the formula, and its text. */
  let groups: Map<string, { position: Position, text: string }> | undefined
  let locks: readonly Lock[] | undefined

  function * used (): Generator<Position> {
    for (const row of xml.rows()) {
      for (const [column, { content }] of xml.cells(row)) if (content !== '') yield { row, column }
    }
  }

  function * withFormula (): Generator<[Position, CellContent]> {
    for (const position of used()) {
      const cell = xml.cell(position)!
      if (/<(?:\w+:)?f[\s/>]/.test(cell.content)) yield [position, readCell(cell, strings)]
    }
  }

  function groupsOfSheet () {
    if (groups !== undefined) return groups
    groups = new Map()
    for (const [position, { formula }] of withFormula()) {
      if (formula?.group !== undefined && formula.text !== '') {
        groups.set(formula.group, { position, text: formula.text })
      }
    }
    return groups
  }

  function content (position: Position): CellContent {
    const read = readCell(xml.cellOrNew(position), strings)
    if (read.formula?.group === undefined || read.formula.text !== '') return read
    const from = groupsOfSheet().get(read.formula.group)
    if (from === undefined) return { ...read, formula: null }
    const { text, position: { row, column } } = from
    return {
      ...read,
      formula: {
        ...read.formula,
        get text () {
          return shiftFormula(text, position.row - row, position.column - column)
        }
      }
    }
  }

  return {
    content,
    used,
    formulaLengths: () =>
      [...withFormula()].map(([, { formula }]) => {
        return formula?.text || formula?.group === undefined
          ? formula?.text.length ?? 0
          : groupsOfSheet().get(formula.group)?.text.length ?? 0
      }),
    calculated: () => [...withFormula()].map(([position]) => position),
    locks () {
      locks ??= [...otherLocks, ...[...withFormula()].flatMap(([position, { formula }]) => {
        const area = formula?.fills
        return area === undefined || isOne(area, position) ? [] : [filledBy(area)]
      })]
      return locks
    },
    ungroup (group: string) {
      const members = [...withFormula()].filter(([, { formula }]) => formula?.group === group)
      xml.replace(
        members.map(([position]) =>
          [position, withOwnFormula(xml.cell(position)!, content(position).formula?.text ?? '')] as const
        )
      )
    }
  }
}

function isOne (area: Range, position: Position): boolean {
  const own = oneCell(position)
  return area.top === own.top && area.bottom === own.bottom && area.left === own.left && area.right === own.right
}

/** Whether a cell is hidden by another one that it is merged with. */
export function isCovered (position: Position, merged: readonly Range[]): boolean {
  return merged.some(range => isIn(position, range) && (position.row !== range.top || position.column !== range.left))
}

export function keyOf (sheet: string, position: Position): string {
  return `${sheet}!${cellName(position)}`
}
