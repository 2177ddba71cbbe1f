import type { OfficePackage } from '../office/package.js'
import { joinedText } from './cells.js'
import { attributeOf, elements, firstElement, isTrue } from './markup.js'
import { openStyles, type Styles } from './styles.js'

export interface WorkbookSheet {
  readonly name: string
  /** The name of its part in the package. */
  readonly part: string
  readonly hidden: boolean
}

export interface Workbook {
  /** The name of its part, and its XML. */
  readonly part: string
  readonly xml: string
  readonly sheets: readonly WorkbookSheet[]
  /** Dates count from 1904. */
  readonly has1904: boolean
  readonly strings: readonly string[]
  readonly styles: Styles
  readonly stylesPart: string | undefined
  readonly calculationChain: string | undefined
}

export interface Relationship {
  readonly id: string
  /** The last segment of its type: `worksheet`. */
  readonly type: string
  /** The name of the target part. */
  readonly part: string
}

const MAX_SHEETS = 10_000

/** Reads the parts that all sheets of a workbook share. */
export function openWorkbook (office: OfficePackage): Workbook {
  const part = relationshipsOf(office, '').find(({ type }) => type === 'officeDocument')?.part ?? 'xl/workbook.xml'
  const xml = office.text(part)
  if (xml === undefined) throw new TypeError(`The workbook has no ${part}`)
  const related = relationshipsOf(office, part)
  const parts = new Map(related.filter(({ type }) => type === 'worksheet').map(({ id, part }) => [id, part]))
  const partOf = (type: string) =>
    related.find(relationship => relationship.type === type && office.parts.has(relationship.part))?.part
  const listed = [...elements(firstElement(xml, 'sheets')?.content ?? '', 'sheet')]
  if (listed.length > MAX_SHEETS) throw new RangeError('it has too many sheets')
  const stringsPart = partOf('sharedStrings')
  const stylesPart = partOf('styles')
  const properties = firstElement(xml, 'workbookPr')

  return {
    part,
    xml,
    sheets: listed.flatMap(({ tag }) => {
      const part = parts.get(attributeOf(tag, 'id') ?? '')
      const state = attributeOf(tag, 'state') ?? 'visible'
      return part === undefined ? [] : [{ name: attributeOf(tag, 'name') ?? '', part, hidden: state !== 'visible' }]
    }),
    has1904: properties !== undefined && isTrue(attributeOf(properties.tag, 'date1904')),
    strings: [...elements(stringsPart === undefined ? '' : office.text(stringsPart) ?? '', 'si')].map(({ content }) =>
      joinedText(content)
    ),
    styles: openStyles(stylesPart === undefined ? undefined : office.text(stylesPart)),
    stylesPart,
    calculationChain: partOf('calcChain')
  }
}

/** The relationships of a part within the package. */
export function relationshipsOf (office: OfficePackage, part: string): Relationship[] {
  return [...elements(office.text(relationshipsPart(part)) ?? '', 'Relationship')].flatMap(({ tag }) => {
    if (attributeOf(tag, 'TargetMode') === 'External') return []
    const [id = '', type = '', target = ''] = ['Id', 'Type', 'Target'].map(name => attributeOf(tag, name))
    return [{ id, type: type.slice(type.lastIndexOf('/') + 1), part: resolved(part, target) }]
  })
}

/** `xl/_rels/workbook.xml.rels` for `xl/workbook.xml`. */
export function relationshipsPart (part: string): string {
  const folder = part.slice(0, part.lastIndexOf('/') + 1)
  return `${folder}_rels/${part.slice(folder.length)}.rels`
}

function resolved (part: string, target: string): string {
  try {
    return decodeURIComponent(new URL(target, `x://package/${part}`).pathname.slice(1))
  } catch {
    return ''
  }
}
