import type { Element } from '@xmldom/xmldom'
import type { OfficePackage } from '../office/package.js'
import type { TextBlock } from '../types.js'
import type { ParseXml } from './extract.js'
import { attribute, elements } from '../office/elements.js'

/** The text of pptx. A slide starts a page; its title is a heading. */
export function presentationBlocks (office: OfficePackage, parse: ParseXml): TextBlock[] {
  const slides = [...office.parts.keys()]
    .filter(name => /^ppt\/slides\/slide\d+\.xml$/.test(name))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))

  return slides.flatMap((name, slide) => {
    const blocks = elements(parse(office.text(name)!), 'sp', 'graphicFrame').flatMap(shapeBlocks)
    return blocks.map((block, index) => slide > 0 && index === 0 ? { ...block, newPage: true } : block)
  })
}

function shapeBlocks (shape: Element): TextBlock[] {
  const placeholder = elements(shape, 'ph')[0]
  const isTitle = /title/i.test(placeholder === undefined ? '' : attribute(placeholder, 'type') ?? '')
  return elements(shape, 'p').map(paragraph => {
    const text = elements(paragraph, 't', 'br').map(element =>
      element.localName === 'br' ? '\n' : element.textContent ?? ''
    ).join('')
    return isTitle ? { text, level: 1 } : { text }
  })
}
