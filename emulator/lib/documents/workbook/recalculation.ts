import type { OfficePackage } from '../office/package.js'
import { attributeOf, elements, firstElement, prefixOf, withAttribute } from './markup.js'
import { relationshipsOf, relationshipsPart, type Workbook } from './open.js'

/** Makes the program that opens the workbook calculate its formulas. */
export function withFullCalculation ({ xml }: Workbook): string {
  const known = firstElement(xml, 'calcPr')
  if (known !== undefined) {
    return xml.slice(0, known.from) + withAttribute(known.tag, 'fullCalcOnLoad', '1') +
      xml.slice(known.from + known.tag.length)
  }
  const root = firstElement(xml, 'workbook')
  // The elements that come before it in the schema's order.
  const before = [...elements(root?.content ?? '', 'sheets', 'functionGroups', 'externalReferences', 'definedNames')]
    .at(-1)
  if (root === undefined || before === undefined) return xml
  const at = root.contentFrom + before.to
  return `${xml.slice(0, at)}<${prefixOf(root.tag)}calcPr fullCalcOnLoad="1"/>${xml.slice(at)}`
}

/**
 * The changes that remove the calculation chain; `null` for the part itself. Office suites recreate it, and reject one
 * that contains a cell without a formula.
 */
export function withoutCalculationChain (
  office: OfficePackage,
  { part, calculationChain }: Workbook
): Map<string, string | null> {
  const changes = new Map<string, string | null>()
  if (calculationChain === undefined) return changes
  changes.set(calculationChain, null)
  const { id } = relationshipsOf(office, part).find(({ type }) => type === 'calcChain')!
  const without = (name: string, element: string, attribute: string, value: string) => {
    const xml = office.text(name) ?? ''
    const found = [...elements(xml, element)].find(({ tag }) =>
      attributeOf(tag, attribute)?.toLowerCase() === value.toLowerCase()
    )
    if (found !== undefined) changes.set(name, xml.slice(0, found.from) + xml.slice(found.to))
  }
  without('[Content_Types].xml', 'Override', 'PartName', `/${calculationChain}`)
  without(relationshipsPart(part), 'Relationship', 'Id', id)
  return changes
}
