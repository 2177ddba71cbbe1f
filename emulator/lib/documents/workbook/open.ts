import type { Document, Element } from '@xmldom/xmldom'
import { attribute, childElements, elements, firstChild } from '../office/elements.js'
import type { OfficePackage } from '../office/package.js'
import { relationsOf, resolved } from '../office/relations.js'
import { parseXml, type XmlBudget, xmlBudget } from '../office/xml.js'
import type { GridCell } from '../grid.js'
import { builtInFormat, GENERAL } from './built-in-formats.js'
import { type CellContent, isTrue, openSheet, textOf } from './sheet.js'
import { type CellStyle, shownText, typedText } from './values.js'

export const MAIN_PART = 'xl/workbook.xml'

export type OpenSheet = ReturnType<typeof openWorkbook>['sheets'][number]

/** Reads a workbook. Throws for one that is too large. */
export function openWorkbook (office: OfficePackage) {
  const budget = xmlBudget()
  const read = (part: string): Document | undefined => {
    const source = office.text(part)
    return source === undefined ? undefined : parseXml(source, budget)
  }
  const document = read(MAIN_PART)
  if (document === undefined) throw new TypeError(`The workbook has no ${MAIN_PART}`)
  if (isTrue(elements(document, 'workbookPr')[0], 'date1904')) throw new TypeError('its dates count from 1904')
  const related = (type: string) => {
    const [target] = relationsOf(office, MAIN_PART, type).values()
    return target === undefined ? undefined : read(resolved(MAIN_PART, target))
  }
  const strings = elementsIn(related('sharedStrings'), 'si').map(textOf)
  const styles = stylesIn(related('styles'))
  const targets = relationsOf(office, MAIN_PART, 'worksheet')
  const sheets = elements(document, 'sheet').flatMap(sheet => {
    const target = targets.get(attribute(sheet, 'id') ?? '')
    if (target === undefined) return []
    const part = resolved(MAIN_PART, target)
    const xml = read(part)
    if (xml === undefined) throw new TypeError(`The workbook has no ${part}`)
    return [{
      name: attribute(sheet, 'name') ?? '',
      /** The name of its part in the package. */
      part,
      hidden: (attribute(sheet, 'state') ?? 'visible') !== 'visible',
      ...openSheet(xml, strings, tableHeads(office, part, budget))
    }]
  })
  const plain: CellStyle = { format: GENERAL, bold: false, align: null, fill: null }
  const styleOf = ({ style }: CellContent): CellStyle => styles[style] ?? styles[0] ?? plain

  return {
    document,
    sheets,
    styleOf,
    shown (content: CellContent): GridCell {
      const style = styleOf(content)
      const { value, formula } = content
      const typed = formula ? `=${formula}` : typedText(value, style)
      const align = style.align ??
        (typeof value === 'number' ? 'right' : value !== null && typeof value !== 'string' ? 'center' : 'left')
      const isStale = value === null && formula !== null
      return {
        value: typed,
        text: isStale ? typed : shownText(value, style),
        ...(align !== 'left' && { align }),
        ...(style.bold && { bold: true }),
        ...(style.fill !== null && { fill: style.fill }),
        ...(isStale && { stale: true })
      }
    }
  }
}

/** The heads of tables, which are the names of their columns. */
function tableHeads (office: OfficePackage, part: string, budget: XmlBudget): string[] {
  return [...relationsOf(office, part, 'table').values()].flatMap(target => {
    const source = office.text(resolved(part, target))
    const table = source === undefined ? null : parseXml(source, budget).documentElement
    const ref = table === null || attribute(table, 'headerRowCount') === '0' ? undefined : attribute(table, 'ref')
    return ref === undefined ? [] : [ref.replace(/\d+$/, /\d+/.exec(ref)?.[0] ?? '')]
  })
}

function stylesIn (document: Document | undefined): CellStyle[] {
  const inside = (list: string, name: string) =>
    elementsIn(document, list).flatMap(parent => childElements(parent).filter(({ localName }) => localName === name))
  const numberOf = (element: Element, name: string) => Number(attribute(element, name) ?? 0)
  const formats = new Map(inside('numFmts', 'numFmt').map(format => [
    numberOf(format, 'numFmtId'),
    (attribute(format, 'formatCode') || GENERAL).slice(0, 1000)
  ]))
  const bold = inside('fonts', 'font').map(font => {
    const element = firstChild(font, 'b')
    return element !== undefined && !/^(?:0|false)$/.test(attribute(element, 'val') ?? '')
  })
  const fills = inside('fills', 'fill').map(fill => {
    const pattern = firstChild(fill, 'patternFill')
    const color = pattern && attribute(pattern, 'patternType') === 'solid' ? firstChild(pattern, 'fgColor') : undefined
    const [, rgb] = /^(?:[0-9a-f]{2})?([0-9a-f]{6})$/i.exec((color && attribute(color, 'rgb')) ?? '') ?? []
    return rgb === undefined ? null : `#${rgb.toLowerCase()}`
  })
  return inside('cellXfs', 'xf').map(style => {
    const id = numberOf(style, 'numFmtId')
    const alignment = firstChild(style, 'alignment')
    const align = alignment && attribute(alignment, 'horizontal')
    return {
      format: formats.get(id) ?? builtInFormat(id),
      bold: bold[numberOf(style, 'fontId')] ?? false,
      align: align === 'left' || align === 'center' || align === 'right' ? align : null,
      fill: fills[numberOf(style, 'fillId')] ?? null
    }
  })
}

function elementsIn (document: Document | undefined, name: string): Element[] {
  return document === undefined ? [] : elements(document, name)
}
