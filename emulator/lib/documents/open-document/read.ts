import type { Document, Element } from '@xmldom/xmldom'
import type { Mark, Node } from 'prosemirror-model'
import { schema } from '../../text/schema.js'
import { attribute, childElements, elements, firstChild } from '../office/elements.js'
import type { OfficePackage } from '../office/package.js'
import { parseXml } from '../office/xml.js'
import { type Pictures, pictureSources } from '../prose/pictures.js'
import { type Point, type SourceParts, sourceParts } from '../prose/parts.js'
import { boxFrom, FORMATS, marks, nodes } from '../prose/prose.js'
import { type Styles, stylesOf, TEXT } from './styles.js'

export const CONTENT_PART = 'content.xml'
const MAX_SPACES = 1000
/** Have no content of their own. They stay where they are when the text around them changes. */
const POINTS = new Set([
  'bookmark', 'bookmark-start', 'bookmark-end', 'reference-mark', 'reference-mark-start', 'reference-mark-end',
  'soft-page-break', 'change', 'change-start', 'change-end', 'annotation-end'
])
const INDEXES = /-index$|^table-of-content$|^bibliography$/

/** What is needed to write the text again. */
export interface OpenDocumentSource {
  readonly doc: Node
  readonly content: Document
  /** The element that contains the text or the slides. */
  readonly body: Element
  readonly parts: SourceParts
  readonly styles: Styles
  /** By the name of the paragraph. */
  readonly points: ReadonlyMap<unknown, readonly Point[]>
}

interface Reader {
  readonly parts: SourceParts
  readonly styles: Styles
  readonly points: Map<string, Point[]>
  readonly pictures: Pictures
}

/** The list that a paragraph is in. */
interface List {
  readonly list: 'bullet' | 'number'
  readonly depth: number
}

/** Reads the text of an .odt or .odp. Throws if it has none. */
export function readOpenDocument (office: OfficePackage): OpenDocumentSource {
  const content = parseXml(office.text(CONTENT_PART) ?? '<none/>')
  const body = elements(content, 'text', 'presentation').find(({ parentNode }) => parentNode?.localName === 'body')
  if (body === undefined) throw new TypeError(`${CONTENT_PART} has no text`)
  const stylesPart = office.text('styles.xml')
  const common = stylesPart === undefined ? undefined : parseXml(stylesPart)
  const [parts, points] = [sourceParts(), new Map<string, Point[]>()]
  const styles = stylesOf(content, common)
  const reader = { parts, styles, points, pictures: pictureSources(office, '') }
  const blocks = body.localName === 'text'
    ? blocksIn(body, reader)
    : slidesIn(body, reader, pageSize(common))
  const doc = nodes.doc!.create(null, blocks.length > 0 ? blocks : nodes.paragraph!.create())
  return { doc, content, body, parts, styles, points }
}

function blocksIn (parent: Element, reader: Reader, list?: List): Node[] {
  return childElements(parent).flatMap(element => {
    const { parts } = reader
    switch (element.localName) {
      case 'p':
      case 'h': return [paragraph(element, reader, list)]
      case 'list': return group(element, reader, listIn(element, reader.styles, list))
      case 'list-item':
      case 'list-header':
      case 'section': return group(element, reader, list)
      case 'table': return table(element, reader)
    }
    if (!INDEXES.test(element.localName!)) return []
    return [parts.read(nodes.kept_block!.create({ ref: parts.addBlock('s', element), text: textOf(element, '\n') }))]
  })
}

/** Blocks in an element of their own. */
function group (element: Element, reader: Reader, list?: List): Node[] {
  const blocks = blocksIn(element, reader, list)
  if (blocks.length === 0) return []
  return [reader.parts.read(nodes.section!.create({ ref: reader.parts.addBlock('s', element) }, blocks))]
}

function listIn (element: Element, { lists }: Styles, around: List | undefined): List {
  const kind = lists.get(attribute(element, 'style-name') ?? '') ?? around?.list ?? 'bullet'
  return { list: kind, depth: around === undefined ? 0 : around.depth + 1 }
}

function paragraph (element: Element, reader: Reader, list?: List): Node {
  const { parts, styles } = reader
  const outline = Number(attribute(element, 'outline-level') ?? 1)
  const level = element.localName === 'h'
    ? Math.min(Math.max(Math.trunc(outline) || 1, 1), 6)
    : styles.isTitle(attribute(element, 'style-name')) ? 0 : null
  const ref = parts.addBlock('p', element)
  const line: Line = { points: [], isAfterSpace: true }
  const content = inlineIn(element, reader, line)
  if (line.points.length > 0) reader.points.set(ref, line.points)
  return parts.read(nodes.paragraph!.create({ ref, level, ...(level === null && list) }, content))
}

function table (element: Element, reader: Reader): Node[] {
  const { parts } = reader
  const rows = elements(element, 'table-row').filter(row => nearestTable(row) === element).flatMap(row => {
    const cells = childElements(row).filter(({ localName }) => localName === 'table-cell').map(cell => {
      const span = (name: string) => Math.min(Math.max(Math.trunc(Number(attribute(cell, name))) || 1, 1), 1000)
      const blocks = blocksIn(cell, reader)
      return parts.read(nodes.table_cell!.create({
        ref: parts.addBlock('cell', cell),
        colspan: span('number-columns-spanned'),
        rowspan: span('number-rows-spanned')
      }, blocks.length > 0 ? blocks : nodes.paragraph!.create()))
    })
    return cells.length === 0 ? [] : [parts.read(nodes.table_row!.create({ ref: parts.addBlock('row', row) }, cells))]
  })
  return rows.length === 0 ? [] : [parts.read(nodes.table!.create({ ref: parts.addBlock('t', element) }, rows))]
}

function nearestTable (row: Element): Element {
  let node = row.parentNode as Element
  while (node.localName !== 'table') node = node.parentNode as Element
  return node
}

function slidesIn (body: Element, reader: Reader, size: Size): Node[] {
  const pages = childElements(body).filter(({ localName }) => localName === 'page')
  if (pages.length === 0) throw new TypeError('The presentation has no slides')
  return pages.map((page, index) => slide(page, index, reader, size))
}

/** In centimetres. */
interface Size {
  readonly width: number
  readonly height: number
}

function pageSize (common: Document | undefined): Size {
  const [page] = common === undefined
    ? []
    : elements(common, 'page-layout-properties').filter(found => attribute(found, 'page-width') !== undefined).slice(-1)
  const [width, height] = ['page-width', 'page-height'].map(name => page === undefined ? 0 : centimetres(attribute(page, name)))
  return { width: width || 28, height: height || 15.75 }
}

/** The place of a shape in per cent of the slide; `null` for one without. */
function boxOf (shape: Element, { width, height }: Size): string | null {
  if (attribute(shape, 'width') === undefined) return null
  const length = (name: string) => centimetres(attribute(shape, name))
  return boxFrom(length('x') / width, length('y') / height, length('width') / width, length('height') / height)
}

export function centimetres (length = ''): number {
  const [, value = '0', unit = 'cm'] = /^(-?[\d.]+)(cm|mm|in|pt)$/.exec(length) ?? []
  return Number(value) * ({ cm: 1, mm: 0.1, in: 2.54, pt: 2.54 / 72 }[unit] ?? 1)
}

/** The shapes of a slide that have a text, or a picture. */
function slide (page: Element, index: number, reader: Reader, size: Size): Node {
  const { parts } = reader
  const shapes = elements(page, 'frame', 'custom-shape').filter(shape => shape.parentNode?.localName !== 'notes')
  const blocks = shapes.flatMap(shape => {
    const box = shape.localName === 'frame' ? firstChild(shape, 'text-box') : shape
    if (box !== undefined) {
      const blocks = blocksIn(box, reader)
      return [parts.read(nodes.section!.create(
        { ref: parts.addBlock('s', shape), box: boxOf(shape, size) },
        blocks.length > 0 ? blocks : nodes.paragraph!.create()
      ))]
    }
    const [embedded] = childElements(shape).filter(({ localName }) => localName === 'table')
    return embedded === undefined ? [] : table(embedded, reader)
  })
  const ref = parts.addBlock('slide', page)
  const name = `Slide ${index + 1}`
  const content = blocks.length > 0 ? blocks : nodes.section!.create(null, nodes.paragraph!.create())
  return parts.read(nodes.slide!.create({ ref, name }, content))
}

/** A paragraph that is being read. */
interface Line {
  readonly points: Point[]
  /** Spaces and line ends in a row are one space; at the start of a paragraph, none. */
  isAfterSpace: boolean
}

/** The content of a paragraph, a link or a span. `look`: of the text style around it. */
function inlineIn (
  parent: Element,
  reader: Reader,
  line: Line,
  around: readonly Mark[] = [],
  before = 0,
  look?: Element
): Node[] {
  const found: Node[] = []
  let offset = before
  const add = (...nodes: readonly Node[]) => {
    found.push(...nodes)
    for (const { nodeSize } of nodes) offset += nodeSize
  }
  const all = [...around, ...(look === undefined ? [] : marksOf(look, reader))]
  const text = (value: string) => { if (value !== '') add(schema.text(value, all)) }
  for (const node of parent.childNodes) {
    if (node.nodeType === node.TEXT_NODE) {
      const value = (node.nodeValue ?? '').replace(/[ \t\r\n]+/g, ' ')
      text(line.isAfterSpace ? value.replace(/^ /, '') : value)
      line.isAfterSpace = value === '' ? line.isAfterSpace : value.endsWith(' ')
    }
    if (node.nodeType !== node.ELEMENT_NODE) continue
    const element = node as Element
    const name = element.namespaceURI === TEXT ? element.localName! : ''
    if (POINTS.has(name)) line.points.push({ element, offset })
    else if (name === 'span') add(...inlineIn(element, reader, line, around, offset, element))
    else if (name === 'a') {
      add(...inlineIn(element, reader, line, [...around, link(element, reader)], offset, look))
    } else {
      line.isAfterSpace = false
      if (name === 's') text(' '.repeat(spaces(element)))
      else if (name === 'tab') text('\t')
      else if (name === 'line-break') add(nodes.hard_break!.create(null, null, all))
      else add(kept(element, reader, all))
    }
  }
  return found
}

function spaces (element: Element): number {
  const count = Number(attribute(element, 'c') ?? 1)
  return Number.isInteger(count) && count > 0 ? Math.min(count, MAX_SPACES) : 1
}

function marksOf (span: Element, { parts, styles }: Reader): Mark[] {
  const name = attribute(span, 'style-name')
  const color = styles.property(name, 'fo:color') ?? ''
  const css = /^#[0-9a-f]{6}$/i.test(color) && color !== '#000000' ? `color: ${color}` : ''
  return [
    marks.look!.create({ ref: parts.addLook(span.cloneNode(false) as Element), css }),
    ...FORMATS.filter(format => styles.has(name, format)).map(format => marks[format]!.create())
  ]
}

function link (element: Element, { parts }: Reader): Mark {
  const target = attribute(element, 'href') ?? ''
  const href = /^(?:https?:|mailto:|#)/i.test(target) ? target : '#'
  return marks.link!.create({ href, ref: parts.addLook(element.cloneNode(false) as Element, 'link') })
}

function kept (element: Element, { parts, pictures }: Reader, around: readonly Mark[]): Node {
  const ref = parts.add('kept', element)
  if (element.localName !== 'frame') return nodes.kept!.create({ ref, text: textOf(element) }, null, around)
  const image = firstChild(element, 'image')
  const src = pictures.dataUrl(image === undefined ? undefined : attribute(image, 'href'))
  return nodes.image!.create({ ref, src, alt: elements(element, 'title')[0]?.textContent ?? '' }, null, around)
}

/** What is shown for an element that is not edited. Notes and comments are not. */
function textOf (element: Element, betweenParagraphs = ''): string {
  if (['note', 'annotation'].includes(element.localName!)) return ''
  const paragraphs = elements(element, 'p', 'h')
  return paragraphs.length === 0 ? element.textContent ?? '' : paragraphs.map(({ textContent }) => textContent).join(betweenParagraphs)
}
