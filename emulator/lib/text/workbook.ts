import type { Element } from '@xmldom/xmldom'
import type { OfficePackage } from '../editing/package.js'
import type { TextBlock } from './blocks.js'
import type { ParseXml } from './extract.js'
import { attribute, elements } from './xml.js'

/** Text of xlsx: a row is one block with a tab between cells, a sheet begins a page. */
export function workbookBlocks (office: OfficePackage, parse: ParseXml): TextBlock[] {
  const strings = office.text('xl/sharedStrings.xml')
  const shared = strings === undefined ? [] : elements(parse(strings), 'si').map(joinedText)
  const sheets = [...office.parts.keys()]
    .filter(name => /^xl\/worksheets\/[^/]+\.xml$/.test(name))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))

  return sheets.flatMap((name, sheet) => {
    const rows = elements(parse(office.text(name)!), 'row')
    return rows.map((row, index) => {
      const text = elements(row, 'c').map(cell => cellText(cell, shared)).join('\t')
      return sheet > 0 && index === 0 ? { text, newPage: true } : { text }
    })
  })
}

function cellText (cell: Element, shared: readonly string[]): string {
  const type = attribute(cell, 't')
  if (type === 'inlineStr') return joinedText(cell)
  const value = elements(cell, 'v')[0]?.textContent ?? ''
  return type === 's' ? shared[Number(value)] ?? '' : value
}

function joinedText (parent: Element): string {
  return elements(parent, 't').map(element => element.textContent ?? '').join('')
}
