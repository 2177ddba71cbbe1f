import type { Element } from '@xmldom/xmldom'
import type { Mark, Paragraph } from '../types.js'
import { firstChild, isEditable, paragraphText, WORD } from './text.js'

/** All paragraphs in order, including those of tables, but not those of text boxes. */
export function paragraphsIn (parent: Element): Element[] {
  return children(parent).flatMap(element => {
    if (element.namespaceURI !== WORD) return []
    return element.localName === 'p' ? [element] : paragraphsIn(element)
  })
}

export function viewOf (id: string, element: Element, marks: readonly Mark[]): Paragraph {
  const style = styleOf(element)
  const level = /^Title$/i.test(style) ? 0 : Number(/^Heading([1-6])$/i.exec(style)?.[1] ?? Number.NaN)
  const cell = cellOf(element)
  const editable = isEditable(element)
  const images = editable ? 0 : element.getElementsByTagNameNS(WORD, 'drawing').length
  return {
    id,
    text: paragraphText(element),
    editable,
    ...(marks.length > 0 ? { marks } : {}),
    ...(Number.isNaN(level) ? {} : { level }),
    ...(cell === undefined ? {} : { cell }),
    ...(images === 0 ? {} : { images })
  }
}

/** The indexes of a paragraph's table, row and cell: `0.2:3`. */
function cellOf (element: Element): string | undefined {
  const cell = ancestor(element, 'tc')
  const row = cell && ancestor(cell, 'tr')
  const table = row && ancestor(row, 'tbl')
  if (cell === undefined || row === undefined || table === undefined) return undefined
  return `${position(table)}.${position(row)}:${position(cell)}`
}

function ancestor (element: Element, name: string): Element | undefined {
  for (let node = element.parentNode; node !== null; node = node.parentNode) {
    if (node.localName === name) return node as Element
  }
  return undefined
}

// Tables, rows and cells never move. Counting again for each cell would take minutes in a long table.
const positions = new WeakMap<Element, number>()

function position (element: Element): number {
  if (!positions.has(element)) {
    const counts = new Map<string | null, number>()
    for (const child of children(element.parentNode as Element)) {
      const count = counts.get(child.localName) ?? 0
      positions.set(child, count)
      counts.set(child.localName, count + 1)
    }
  }
  return positions.get(element)!
}

export function styleOf (element: Element): string {
  return firstChild(firstChild(element, 'pPr'), 'pStyle')?.getAttributeNS(WORD, 'val') ?? ''
}

export function children (parent: Element): Element[] {
  return [...parent.childNodes].filter(node => node.nodeType === node.ELEMENT_NODE) as Element[]
}
