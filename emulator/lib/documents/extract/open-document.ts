import type { Element } from '@xmldom/xmldom'
import type { OfficePackage } from '../office/package.js'
import type { TextBlock } from '../types.js'
import { parseXml } from '../office/xml.js'
import { attribute, elements, hasAncestor } from '../office/elements.js'

const MAX_REPEATED_CELLS = 64
const MAX_REPEATED_CHARACTERS = 50
const MAX_SPACES = 1000

/** The rows of an .ods. A sheet starts a page. */
export function openDocumentBlocks (office: OfficePackage): TextBlock[] {
  const document = parseXml(office.text('content.xml') ?? '<none/>')
  const blocks: TextBlock[] = []
  let newPage = false
  for (const element of elements(document, 'table-row', 'table')) {
    if (element.localName === 'table') {
      newPage = blocks.length > 0 && hasAncestor(element, 'spreadsheet')
    } else {
      blocks.push({ text: rowText(element), ...(newPage ? { newPage } : {}) })
      newPage = false
    }
  }
  return blocks
}

function rowText (row: Element): string {
  return elements(row, 'table-cell').flatMap(cell => {
    const text = elements(cell, 'p', 'h').map(plainText).join(' ')
    const isRepeated = text !== '' && text.length <= MAX_REPEATED_CHARACTERS
    return Array<string>(isRepeated ? count(cell, 'number-columns-repeated', MAX_REPEATED_CELLS) : 1).fill(text)
  }).join('\t').trimEnd()
}

/** Spaces, tabs and line breaks are elements in OpenDocument. */
function plainText (parent: Element): string {
  let text = ''
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === node.TEXT_NODE) text += node.nodeValue
    if (node.nodeType !== node.ELEMENT_NODE) continue
    const element = node as Element
    switch (element.localName) {
      case 's': text += ' '.repeat(count(element, 'c', MAX_SPACES)); break
      case 'tab': text += '\t'; break
      case 'line-break': text += '\n'; break
      case 'note': case 'annotation': break
      default: text += plainText(element)
    }
  }
  return text
}

/** The number of repetitions in an attribute; 1 without one. */
function count (element: Element, name: string, most: number): number {
  const given = Number(attribute(element, name))
  return Number.isInteger(given) && given > 0 ? Math.min(given, most) : 1
}
