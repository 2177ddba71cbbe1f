import type { Document, Element } from '@xmldom/xmldom'
import type { Mark, Node } from 'prosemirror-model'
import { schema } from '../../text/schema.js'
import { childElements, elements, firstChild } from '../office/elements.js'
import type { OfficePackage } from '../office/package.js'
import { parseXml, xmlBudget } from '../office/xml.js'
import { RELATIONSHIPS, relationsOf, resolved } from '../office/relations.js'
import { type Pictures, pictureSources } from '../prose/pictures.js'
import { type SourceParts, sourceParts } from '../prose/parts.js'
import { type Format, FORMATS, marks, nodes } from '../prose/prose.js'
import { fillOf, moveOf, placeholderOf, type Shapes, shapesOf } from './shapes.js'

export const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006/main'
const MAIN_PART = 'ppt/presentation.xml'

/** The attributes of a run's properties. */
export const ATTRIBUTES: Record<Format, { readonly name: string, readonly on: string, readonly off: string }> = {
  bold: { name: 'b', on: '1', off: '0' },
  italic: { name: 'i', on: '1', off: '0' },
  underline: { name: 'u', on: 'sng', off: 'none' },
  strike: { name: 'strike', on: 'sngStrike', off: 'noStrike' }
}

interface Reader {
  readonly parts: SourceParts
  readonly pictures: Pictures
  readonly targets: ReadonlyMap<string, string>
  readonly shapes: Shapes
}

/** Reads the text of a .pptx, slide by slide, with what is needed to write it again. */
export function readPresentation (office: OfficePackage) {
  const parts = sourceParts()
  const pictures = pictureSources(office, 'ppt/slides')
  const budget = xmlBudget()
  const presentation = parseXml(office.text(MAIN_PART) ?? '<none/>')
  const shapes = shapesOf(presentation)
  const slides = slideParts(office, presentation)
    .map(part => ({ part, document: parseXml(office.text(part)!, budget) }))
  const read = slides.map(({ part, document }, index) => {
    const targets = relationsOf(office, part)
    const tree = elements(document, 'spTree')[0] ?? document.documentElement!
    const blocks = shapesIn(tree, { parts, pictures, targets, shapes }, (x, y) => [x, y])
    const attributes = { ref: parts.addBlock('slide', tree), name: `Slide ${index + 1}` }
    const content = blocks.length > 0 ? blocks : nodes.section!.create(null, nodes.paragraph!.create())
    return parts.read(nodes.slide!.create(attributes, content))
  })
  if (read.length === 0) throw new TypeError('The presentation has no slides')
  return { doc: nodes.doc!.create(null, read), slides, parts }
}

/** In the order of the presentation. */
function slideParts (office: OfficePackage, presentation: Document): string[] {
  const targets = relationsOf(office, MAIN_PART)
  return elements(presentation, 'sldId')
    .map(id => resolved(MAIN_PART, targets.get(id.getAttributeNS(RELATIONSHIPS, 'id') ?? '') ?? ''))
    .filter(part => office.parts.has(part))
}

/** Shapes with a text, tables and pictures, also those in groups. */
function shapesIn (parent: Element, reader: Reader, move: Parameters<typeof moveOf>[1]): Node[] {
  const { parts, pictures, targets, shapes } = reader
  return childElements(parent).flatMap(shape => {
    switch (shape.localName) {
      case 'grpSp': return shapesIn(shape, reader, moveOf(shape, move))
      case 'sp': {
        const text = firstChild(shape, 'txBody')
        if (text === undefined) return []
        const placeholder = placeholderOf(shape)
        const type = placeholder?.getAttribute('type') || (placeholder === undefined ? 'none' : 'body')
        return [parts.read(nodes.section!.create({
          ref: parts.addBlock('shape', shape),
          box: shapes.boxOf(shape, move),
          fill: fillOf(firstChild(shape, 'spPr'))
        }, paragraphsIn(text, type, reader)))]
      }
      case 'graphicFrame': {
        const box = shapes.boxOf(shape, move)
        return elements(shape, 'tbl').map(table => tableOf(table, box, reader))
      }
      case 'pic': {
        const embedded = elements(shape, 'blip')[0]?.getAttributeNS(RELATIONSHIPS, 'embed')
        const src = pictures.dataUrl(targets.get(embedded ?? ''))
        const text = elements(shape, 'cNvPr')[0]?.getAttribute('descr') ?? ''
        const box = shapes.boxOf(shape, move)
        return [parts.read(nodes.kept_block!.create({ ref: parts.addBlock('picture', shape), text, src, box }))]
      }
      default: return []
    }
  })
}

function tableOf (table: Element, box: string | null, reader: Reader): Node {
  const { parts } = reader
  const rows = childElements(table).filter(({ localName }) => localName === 'tr').map(row => {
    const cells = childElements(row).filter(({ localName }) => localName === 'tc').map(cell => {
      const text = firstChild(cell, 'txBody')
      const blocks = text === undefined ? [nodes.kept_block!.create()] : paragraphsIn(text, 'none', reader)
      return parts.read(nodes.table_cell!.create({ ref: parts.addBlock('cell', cell) }, blocks))
    })
    return parts.read(nodes.table_row!.create({ ref: parts.addBlock('row', row) }, cells))
  })
  return parts.read(nodes.table!.create({ ref: parts.addBlock('t', table), box }, rows))
}

/** @param placeholder `title`, `body` and so on; `none` for a text box */
function paragraphsIn (text: Element, placeholder: string, reader: Reader): Node[] {
  const { parts } = reader
  const isTitle = /title/i.test(placeholder) && placeholder !== 'subTitle'
  const paragraphs = childElements(text).filter(({ localName }) => localName === 'p').map(element => {
    const properties = firstChild(element, 'pPr')
    const bulleted = properties !== undefined && firstChild(properties, 'buChar') !== undefined
    const numbered = properties !== undefined && firstChild(properties, 'buAutoNum') !== undefined
    const inherits = placeholder === 'body' && firstChild(properties, 'buNone') === undefined
    const depth = Math.min(Math.max(Math.trunc(Number(properties?.getAttribute('lvl'))) || 0, 0), 8)
    const list = numbered ? 'number' : bulleted || inherits ? 'bullet' : null
    return parts.read(nodes.paragraph!.create({
      ref: parts.addBlock('p', element), level: isTitle ? 1 : null, ...(!isTitle && list !== null && { list, depth })
    }, inlineIn(element, reader)))
  })
  return paragraphs.length > 0 ? paragraphs : [nodes.paragraph!.create()]
}

function inlineIn (paragraph: Element, reader: Reader): Node[] {
  return childElements(paragraph).flatMap(element => {
    const all = marksOf(firstChild(element, 'rPr'), reader)
    const text = firstChild(element, 't')?.textContent ?? ''
    switch (element.localName) {
      case 'pPr':
      case 'endParaRPr': return []
      case 'r': return text === '' ? [] : [schema.text(text, all)]
      case 'br': return [nodes.hard_break!.create(null, null, all)]
      default: return [nodes.kept!.create({ ref: reader.parts.add('kept', element), text }, null, all)]
    }
  })
}

function marksOf (properties: Element | undefined, { parts, targets, shapes }: Reader): Mark[] {
  if (properties === undefined) return []
  const target = targets.get(firstChild(properties, 'hlinkClick')?.getAttributeNS(RELATIONSHIPS, 'id') ?? '') ?? ''
  const [size, color] = [Number(properties.getAttribute('sz')) / 100, fillOf(properties)]
  const css = [size > 0 ? `font-size: ${shapes.widthOf(size)}cqw` : '', color === null ? '' : `color: ${color}`]
  return [
    marks.look!.create({ ref: parts.addLook(properties), css: css.filter(rule => rule !== '').join('; ') }),
    ...(/^(?:https?:|mailto:)/i.test(target) ? [marks.link!.create({ href: target })] : []),
    ...FORMATS.filter(format => hasFormat(properties, format)).map(format => marks[format]!.create())
  ]
}

export function hasFormat (properties: Element, format: Format): boolean {
  const { name, off } = ATTRIBUTES[format]
  const value = properties.getAttribute(name)
  return value !== null && value !== '' && value !== off && value !== '0' && value !== 'false'
}
