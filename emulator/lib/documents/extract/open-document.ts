import type { Element } from '@xmldom/xmldom'
import { attribute, childElements, elements } from '../office/elements.js'
import type { OfficePackage } from '../office/package.js'
import { parseXml } from '../office/xml.js'
import type { TextBlock } from '../types.js'

/** Text that is not shown where it is, or not at all. */
const ELSEWHERE = new Set(['tracked-changes', 'note', 'notes', 'annotation', 'desc'])
const MAX_CHARACTERS = 20_000_000
const MAX_SPACES = 1000
const MAX_REPEATED_CELLS = 64
const MAX_REPEATED_CHARACTERS = 50

/**
 * The text of an .odt, .odp or .ods: paragraphs, and the rows of tables with tabs between their cells. Repeated rows
 * are one block; a slide or a sheet starts a page. Throws for a file without content.
 */
export function openDocumentBlocks (office: OfficePackage): TextBlock[] {
  const [body] = elements(parseXml(office.text('content.xml') ?? '<none/>'), 'body')
  if (body === undefined) throw new TypeError('content.xml has no text')
  const blocks: TextBlock[] = []
  let [characters, newPage] = [0, false]
  read(body)
  return blocks

  function read (parent: Element): void {
    for (const element of childElements(parent)) {
      if (element.localName === 'page' || parent.localName === 'spreadsheet') newPage = blocks.length > 0
      switch (element.localName) {
        case 'p': add({ text: textOf(element) }); break
        case 'h': add({ text: textOf(element), level: Math.min(numberIn(element, 'outline-level'), 6) }); break
        case 'table-row': add({ text: rowText(element) }); break
        default: if (!ELSEWHERE.has(element.localName!)) read(element)
      }
    }
  }

  function add (block: TextBlock): void {
    characters += block.text.length
    if (characters > MAX_CHARACTERS) throw new RangeError('The document contains too much text')
    blocks.push(newPage ? { ...block, newPage } : block)
    newPage = false
  }
}

function rowText (row: Element): string {
  return childElements(row).flatMap(cell => {
    const text = childElements(cell).map(textOf).join(' ').replaceAll('\n', ' ')
    const count = text.length > MAX_REPEATED_CHARACTERS ? 1 : numberIn(cell, 'number-columns-repeated')
    return Array<string>(Math.min(count, MAX_REPEATED_CELLS)).fill(text)
  }).join('\t').trimEnd()
}

/** Spaces, tabs and line breaks are elements in OpenDocument. */
function textOf (element: Element): string {
  switch (element.localName) {
    case 's': return ' '.repeat(Math.min(numberIn(element, 'c'), MAX_SPACES))
    case 'tab': return '\t'
    case 'line-break': return '\n'
  }
  if (ELSEWHERE.has(element.localName!)) return ''
  return [...element.childNodes].map(node => {
    if (node.nodeType === node.ELEMENT_NODE) return textOf(node as Element)
    return node.nodeType === node.TEXT_NODE ? node.nodeValue!.replace(/[ \t\r\n]+/g, ' ') : ''
  }).join('')
}

function numberIn (element: Element, name: string): number {
  return Math.max(Math.trunc(Number(attribute(element, name))) || 1, 1)
}
