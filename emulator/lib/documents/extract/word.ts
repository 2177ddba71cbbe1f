import type { OfficePackage } from '../office/package.js'
import { styleOf } from '../word/paragraphs.js'
import { paragraphText } from '../word/text.js'
import type { TextBlock } from '../types.js'
import type { ParseXml } from './extract.js'
import { elements } from '../office/elements.js'

export function wordBlocks (office: OfficePackage, parse: ParseXml): TextBlock[] {
  const document = parse(office.text('word/document.xml') ?? '<none/>')
  return elements(document, 'p').map(paragraph => {
    const name = styleOf(paragraph)
    const level = name === 'Title' ? 0 : Number(/^Heading([1-6])$/i.exec(name)?.[1] ?? Number.NaN)
    const text = paragraphText(paragraph)
    return Number.isNaN(level) ? { text } : { text, level }
  })
}
