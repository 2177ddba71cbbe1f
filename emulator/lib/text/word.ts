import type { OfficePackage } from '../editing/package.js'
import { styleOf } from '../editing/word/paragraphs.js'
import { paragraphText } from '../editing/word/text.js'
import type { TextBlock } from './blocks.js'
import type { ParseXml } from './extract.js'
import { elements } from './xml.js'

export function wordBlocks (office: OfficePackage, parse: ParseXml): TextBlock[] {
  const document = parse(office.text('word/document.xml') ?? '<none/>')
  return elements(document, 'p').map(paragraph => {
    const name = styleOf(paragraph)
    const level = name === 'Title' ? 0 : Number(/^Heading([1-6])$/i.exec(name)?.[1] ?? Number.NaN)
    const text = paragraphText(paragraph)
    return Number.isNaN(level) ? { text } : { text, level }
  })
}
