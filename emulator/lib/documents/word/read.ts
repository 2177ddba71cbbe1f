import type { Element } from '@xmldom/xmldom'
import type { Mark, Node } from 'prosemirror-model'
import { schema } from '../../text/schema.js'
import { childElements, elements, firstChild } from '../office/elements.js'
import type { OfficePackage } from '../office/package.js'
import { RELATIONSHIPS, relationsOf } from '../office/relations.js'
import { parseXml } from '../office/xml.js'
import { type Pictures, pictureSources } from '../prose/pictures.js'
import { type SourceParts, sourceParts } from '../prose/parts.js'
import { colorFrom, FORMATS, marks, nodes } from '../prose/prose.js'
import { type Styles, stylesOf, valueOf, WORD } from './styles.js'

export const MAIN_PART = 'word/document.xml'

const EMU_PER_PIXEL = 9525
/** Have no content of their own. They stay in their paragraph when its text changes. */
export const POINTS = new Set([
  'bookmarkStart', 'bookmarkEnd', 'commentRangeStart', 'commentRangeEnd', 'permStart', 'permEnd', 'proofErr',
  'moveFromRangeStart', 'moveFromRangeEnd', 'moveToRangeStart', 'moveToRangeEnd'
])
const PICTURES = new Set(['drawing', 'pict', 'object', 'AlternateContent'])

export type WordSource = ReturnType<typeof readWord>

/** Reads the text of a .docx, with what is needed to write it again. Throws if it has none. */
export function readWord (office: OfficePackage) {
  const source = office.text(MAIN_PART)
  if (source === undefined) throw new TypeError(`The document has no ${MAIN_PART}`)
  const body = parseXml(source).getElementsByTagNameNS(WORD, 'body')[0]
  if (body === undefined) throw new TypeError(`${MAIN_PART} has no body`)
  const parts = sourceParts()
  const styles = stylesOf(office)
  const reader = { parts, styles, targets: relationsOf(office, MAIN_PART), pictures: pictureSources(office, 'word') }
  const blocks = blocksIn(body, reader)
  const attributes = { color: styles.paragraphColor() }
  const doc = nodes.doc!.create(attributes, blocks.length > 0 ? blocks : nodes.paragraph!.create())
  return { doc, body, parts, styles }
}

interface Reader {
  readonly parts: SourceParts
  readonly styles: Styles
  readonly targets: ReadonlyMap<string, string>
  readonly pictures: Pictures
}

function blocksIn (parent: Element, reader: Reader): Node[] {
  return childElements(parent).flatMap(element => {
    if (element.namespaceURI !== WORD) return []
    switch (element.localName) {
      case 'p': return [paragraph(element, reader)]
      case 'tbl': return table(element, reader)
      case 'sdt': return section(element, reader)
      default: return []
    }
  })
}

function paragraph (element: Element, reader: Reader): Node {
  const { parts, styles } = reader
  const properties = firstChild(element, 'pPr')
  const style = valueOf(firstChild(properties, 'pStyle'))
  const level = styles.levelOf(style ?? '')
  const color = styles.paragraphColor(style)
  const align = new Map([['center', 'center'], ['right', 'right'], ['end', 'right'], ['both', 'justify']])
    .get(valueOf(firstChild(properties, 'jc')) ?? '') ?? null
  const ref = parts.addBlock('p', element)
  const content = inlineIn(element, reader, [])
  return parts.read(nodes.paragraph!.create({ ref, level, align, color, ...styles.listOf(properties) }, content))
}

function table (element: Element, reader: Reader): Node[] {
  const rows = childElements(element).filter(({ localName }) => localName === 'tr')
  const read = cellsOf(rows).flatMap((row, index) => {
    const content = row.map(({ element, colspan, rowspan }) => {
      const ref = reader.parts.addBlock('cell', element)
      const fill = colorFrom(firstChild(firstChild(element, 'tcPr'), 'shd')?.getAttributeNS(WORD, 'fill'))
      const blocks = blocksIn(element, reader)
      const attributes = { ref, colspan, rowspan, fill }
      return nodes.table_cell!.create(attributes, blocks.length > 0 ? blocks : nodes.paragraph!.create())
    })
    if (content.length === 0) return []
    return [reader.parts.read(nodes.table_row!.create({ ref: reader.parts.addBlock('row', rows[index]!) }, content))]
  })
  if (read.length === 0) return []
  return [reader.parts.read(nodes.table!.create({ ref: reader.parts.addBlock('t', element) }, read))]
}

interface Cell {
  readonly element: Element
  readonly colspan: number
  rowspan: number
}

/** The cells of each row. One that continues the cell above belongs to that. */
function cellsOf (rows: readonly Element[]): Cell[][] {
  const above = new Map<number, Cell>()
  return rows.map(row => {
    let column = Number(valueOf(firstChild(firstChild(row, 'trPr'), 'gridBefore')) ?? 0)
    return childElements(row).filter(({ localName }) => localName === 'tc').flatMap(element => {
      const properties = firstChild(element, 'tcPr')
      const merge = firstChild(properties, 'vMerge')
      const span = Math.trunc(Number(valueOf(firstChild(properties, 'gridSpan')) ?? 1)) || 1
      const colspan = Math.min(Math.max(span, 1), 63)
      const start = column
      column += colspan
      const cell = above.get(start)
      if (merge !== undefined && valueOf(merge) !== 'restart' && cell !== undefined) {
        cell.rowspan++
        return []
      }
      const own = { element, colspan, rowspan: 1 }
      above.set(start, own)
      return [own]
    })
  })
}

/** A content control is edited inside, one with a gallery, such as a table of contents, is shown. */
function section (element: Element, reader: Reader): Node[] {
  const content = firstChild(element, 'sdtContent')
  if (content === undefined || firstChild(firstChild(element, 'sdtPr'), 'docPartObj') !== undefined) {
    const ref = reader.parts.addBlock('s', element)
    return [reader.parts.read(nodes.kept_block!.create({ ref, text: textOf(element, '\n') }))]
  }
  const blocks = blocksIn(content, reader)
  if (blocks.length === 0) return []
  return [reader.parts.read(nodes.section!.create({ ref: reader.parts.addBlock('s', element) }, blocks))]
}

/** The content of a paragraph or a link. */
function inlineIn (parent: Element, reader: Reader, around: readonly Mark[]): Node[] {
  const found: Node[] = []
  const field: Element[] = []
  let depth = 0
  for (const element of childElements(parent)) {
    if (element.localName === 'pPr' || (POINTS.has(element.localName!) && depth === 0)) continue
    const starts = fieldMarks(element, 'begin')
    if (depth > 0 || starts > 0) {
      depth += starts - fieldMarks(element, 'end')
      field.push(element)
      if (depth <= 0) {
        found.push(keptField(field.splice(0), reader, around))
        depth = 0
      }
    } else if (element.localName === 'r') found.push(...runContent(element, reader, around))
    else if (element.localName === 'hyperlink') {
      found.push(...inlineIn(element, reader, [...around, link(element, reader)]))
    } else found.push(kept(element, reader, around))
  }
  if (field.length > 0) found.push(keptField(field, reader, around))
  return found
}

function link (element: Element, { parts, targets }: Reader): Mark {
  const target = targets.get(element.getAttributeNS(RELATIONSHIPS, 'id') ?? '') ?? ''
  const anchor = element.getAttributeNS(WORD, 'anchor') ?? ''
  const href = /^(?:https?:|mailto:)/i.test(target) ? target : `#${anchor}`
  return marks.link!.create({ href, ref: parts.addLook(element.cloneNode(false) as Element, 'link') })
}

function fieldMarks (element: Element, type: string): number {
  const found = element.localName === 'r' ? childElements(element) : elements(element, 'fldChar')
  return found.filter(mark => mark.localName === 'fldChar' && mark.getAttributeNS(WORD, 'fldCharType') === type).length
}

/** A field is a row of runs. */
function keptField (runs: readonly Element[], { parts }: Reader, around: readonly Mark[]): Node {
  const group = runs[0]!.ownerDocument!.createElementNS(WORD, 'w:group')
  for (const run of runs) group.appendChild(run.cloneNode(true))
  const text = runs.map(run => textOf(run)).join('')
  return nodes.kept!.create({ ref: parts.add('field', group), text }, null, around)
}

function kept (element: Element, { parts }: Reader, around: readonly Mark[]): Node {
  return nodes.kept!.create({ ref: parts.add('kept', element), text: textOf(element) }, null, around)
}

function runContent (run: Element, reader: Reader, around: readonly Mark[]): Node[] {
  const { styles } = reader
  const properties = firstChild(run, 'rPr')
  const all = [
    ...around,
    ...(properties?.firstChild == null ? [] : [look(properties, reader)]),
    ...FORMATS.filter(format => styles.has(properties, format)).map(format => marks[format]!.create())
  ]
  return childElements(run).flatMap(element => {
    const text = plainText(element)
    if (text === '\n') return [nodes.hard_break!.create(null, null, all)]
    if (text !== undefined) return text === '' ? [] : [schema.text(text, all)]
    if (element.localName === 'rPr' || element.localName === 'lastRenderedPageBreak') return []
    const own = run.cloneNode(false) as Element
    if (properties !== undefined) own.appendChild(properties.cloneNode(true))
    own.appendChild(element.cloneNode(true))
    return [PICTURES.has(element.localName!) ? picture(element, own, reader, all) : kept(own, reader, all)]
  })
}

function look (properties: Element, { parts, styles }: Reader): Mark {
  return marks.look!.create({ ref: parts.addLook(properties), css: cssOf(properties, styles) })
}

function picture (element: Element, run: Element, reader: Reader, around: readonly Mark[]): Node {
  const { parts, targets, pictures } = reader
  const embedded = elements(element, 'blip')[0]?.getAttributeNS(RELATIONSHIPS, 'embed')
  const extent = elements(element, 'extent')[0]
  const size = (name: string) => {
    const pixels = Math.round(Number(extent?.getAttribute(name)) / EMU_PER_PIXEL)
    return pixels > 0 ? pixels : null
  }
  return nodes.image!.create({
    ref: parts.add('image', run),
    src: pictures.dataUrl(targets.get(embedded ?? '')),
    alt: elements(element, 'docPr')[0]?.getAttribute('descr') ?? '',
    width: size('cx'),
    height: size('cy')
  }, null, around)
}

/** How a run looks besides its formats. */
function cssOf (properties: Element, styles: Styles): string {
  const color = styles.runColor(properties)
  const size = Number(valueOf(firstChild(properties, 'sz')))
  const position = valueOf(firstChild(properties, 'vertAlign'))
  return [
    color === undefined ? '' : `color: ${colorFrom(color) ?? 'CanvasText'}`,
    size > 0 ? `font-size: ${size / 2}pt` : '',
    position === 'superscript' ? 'vertical-align: super' : position === 'subscript' ? 'vertical-align: sub' : ''
  ].filter(rule => rule !== '').join('; ')
}

/** The text of an element in a run; `undefined` for one without text of its own. */
function plainText (element: Element): string | undefined {
  if (element.namespaceURI !== WORD) return undefined
  switch (element.localName) {
    case 't': return element.textContent ?? ''
    case 'tab': return '\t'
    case 'noBreakHyphen': return '\u2011'
    case 'cr': return '\n'
    case 'br': return ['page', 'column'].includes(element.getAttributeNS(WORD, 'type') ?? '') ? undefined : '\n'
    default: return undefined
  }
}

/** What is shown for an element that is not edited. */
function textOf (element: Element, betweenParagraphs = ''): string {
  return elements(element, 't', 'delText', 'tab', 'p').map(part =>
    part.localName === 'p' ? betweenParagraphs : part.localName === 'tab' ? '\t' : part.textContent ?? ''
  ).join('').trim()
}
