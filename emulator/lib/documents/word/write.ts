import { type Document, type Element, XMLSerializer } from '@xmldom/xmldom'
import type { Mark, Node } from 'prosemirror-model'
import type { Mappable } from 'prosemirror-transform'
import { childElements, firstChild } from '../office/elements.js'
import type { OfficePackage } from '../office/package.js'
import { movedPoints, withPoints } from '../prose/parts.js'
import { firstLook, type Format, FORMATS, marks, wellFormed } from '../prose/prose.js'
import { type BlockWriter, writeBlocks } from '../prose/write-blocks.js'
import { readWord, type WordSource } from './read.js'
import { NAMES, WORD } from './styles.js'

const XML = 'http://www.w3.org/XML/1998/namespace'
/** The order of properties in ECMA-376, part 1, 17.3. Word calls a file damaged that has another one. */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  pPr: ['pStyle', 'keepNext', 'keepLines', 'pageBreakBefore', 'framePr', 'widowControl', 'numPr'],
  rPr: ['rStyle', 'rFonts', 'b', 'bCs', 'i', 'iCs', 'caps', 'smallCaps', 'strike', 'dstrike', 'outline', 'shadow',
    'emboss', 'imprint', 'noProof', 'snapToGrid', 'vanish', 'webHidden', 'color', 'spacing', 'w', 'kern', 'position',
    'sz', 'szCs', 'highlight', 'u']
}
/** That the end of a paragraph was added, and so on. */
const SUGGESTIONS = ['ins', 'del', 'moveFrom', 'moveTo']
/** Elements that have an end of the same id. */
const PAIRS = [
  ['bookmarkStart', 'bookmarkEnd'],
  ['commentRangeStart', 'commentRangeEnd'],
  ['permStart', 'permEnd']
] as const

/** The main part with another text. Paragraphs that did not change stay as they are. */
export function writtenWord (
  office: OfficePackage,
  doc: Node,
  changes: Mappable,
  added: ReadonlyMap<string, Element>
): string {
  const read = readWord(office)
  const source = { ...read, points: movedPoints(read.points, read.doc, doc, changes) }
  const { body, parts } = source
  const document = body.ownerDocument!
  for (const [ref, element] of added) parts.set(ref, document.importNode(element, true))
  const pairs = pairedIds(body)
  writeBlocks(blockWriter(source, document), body, doc.children)
  removeUnpaired(body, pairs)
  return new XMLSerializer().serializeToString(document)
}

function blockWriter (source: Omit<WordSource, 'doc'>, document: Document): BlockWriter {
  const { parts, styles } = source
  const create = (name: string, value?: string): Element => {
    const element = document.createElementNS(WORD, `w:${name}`)
    if (value !== undefined) element.setAttributeNS(WORD, 'w:val', value)
    return element
  }

  /** The properties of a new paragraph are those of the one it was split from. */
  function createParagraph (source: Element | undefined): Element {
    const paragraph = create('p')
    const properties = firstChild(source, 'pPr')?.cloneNode(true) as Element | undefined
    if (properties === undefined) return paragraph
    const section = firstChild(properties, 'sectPr')
    if (section !== undefined) properties.removeChild(section)
    paragraph.appendChild(properties)
    return paragraph
  }

  function createTable (node: Node): Element {
    const table = create('tbl')
    const properties = table.appendChild(create('tblPr'))
    const borders = properties.appendChild(create('tblBorders'))
    for (const side of ['top', 'left', 'bottom', 'right', 'insideH', 'insideV']) {
      const border = create(side, 'single')
      border.setAttributeNS(WORD, 'w:sz', '4')
      borders.appendChild(border)
    }
    const grid = table.appendChild(create('tblGrid'))
    for (let column = 0; column < (node.firstChild?.childCount ?? 0); column++) grid.appendChild(create('gridCol'))
    return table
  }

  function createCopy (source: Element | undefined, name: string, properties: string): Element {
    const element = create(name)
    const known = firstChild(source, properties)
    if (known !== undefined) element.appendChild(known.cloneNode(true))
    return element
  }

  function setProperty (properties: Element, name: string, element: Element | null): void {
    const known = firstChild(properties, name)
    if (known !== undefined && element !== null) properties.replaceChild(element, known)
    else if (known !== undefined) properties.removeChild(known)
    else if (element !== null) properties.insertBefore(element, following(properties, name))
  }

  /** The first of the properties that come after one. */
  function following (properties: Element, name: string): Element | null {
    const order = ORDER[properties.localName!]!
    const before = order.slice(0, order.indexOf(name))
    return childElements(properties).find(({ localName }) => !before.includes(localName!)) ?? null
  }

  function writeParagraphProperties (element: Element, { attrs }: Node): void {
    const known = firstChild(element, 'pPr')
    const { level, list, depth } = attrs as { level: number | null, list: string | null, depth: number }
    const before = { level: styles.levelOf(styleOf(known)), ...styles.listOf(known) }
    if (before.level === level && before.list === list && (list === null || before.depth === depth)) return
    const properties = known ?? element.insertBefore(create('pPr'), element.firstChild) as Element
    if (before.list !== list || before.depth !== depth) {
      const numbering = create('numPr')
      numbering.appendChild(create('ilvl', String(depth)))
      const same = before.list === list ? firstChild(firstChild(properties, 'numPr'), 'numId') : undefined
      numbering.appendChild(same ?? create('numId', styles.lists.find(({ kind }) => kind === list)?.id ?? '0'))
      setProperty(properties, 'numPr', numbering)
    }
    if (before.level !== level) {
      const style = level === null ? undefined : styles.levels.get(level)
      setProperty(properties, 'pStyle', style === undefined ? null : create('pStyle', style))
    }
  }

  function runProperties (look: Element | undefined, wanted: ReadonlySet<string>): Element | undefined {
    const properties = look?.cloneNode(true) as Element | undefined ?? create('rPr')
    for (const format of FORMATS) {
      if (styles.has(properties, format) === wanted.has(format)) continue
      setProperty(properties, NAMES[format], null)
      if (styles.has(properties, format) !== wanted.has(format)) {
        setProperty(properties, NAMES[format], formatElement(format, wanted.has(format)))
      }
    }
    return properties.firstChild === null ? undefined : properties
  }

  function formatElement (format: Format, value: boolean): Element {
    return create(NAMES[format], format === 'underline' ? value ? 'single' : 'none' : value ? undefined : '0')
  }

  /** New text in a paragraph without any has the formats of its first run, or else of its end. */
  function lookOf (node: Node, paragraph: Element, before: Node | undefined): Element | undefined {
    if (firstLook(node) !== undefined) return undefined
    const source = parts.get(firstLook(before)) ?? firstChild(firstChild(paragraph, 'pPr'), 'rPr')
    const model = source?.cloneNode(true) as Element | undefined
    if (model === undefined) return undefined
    // Only the end of a paragraph can be a suggestion in its properties.
    for (const name of [...FORMATS.map(format => NAMES[format]), ...SUGGESTIONS]) setProperty(model, name, null)
    return model
  }

  function inline (node: Node, fallback: Element | undefined): Element[] {
    const { type } = node
    if (type.name === 'kept' || type.name === 'image') {
      const source = parts.get(node)
      if (source === undefined) return []
      const sources = source.localName === 'group' ? childElements(source) : [source]
      return sources.map(part => part.cloneNode(true) as Element)
    }
    const run = create('r')
    const look = parts.get(marks.look!.isInSet(node.marks)) ?? fallback
    const properties = runProperties(look, new Set(node.marks.map(({ type }) => type.name)))
    if (properties !== undefined) run.appendChild(properties)
    for (const part of textParts(node)) run.appendChild(part)
    return [run]
  }

  function textParts (node: Node): Element[] {
    if (node.type.name === 'hard_break') return [create('br')]
    return wellFormed(node.text ?? '').split(/([\t\n\u2011])/).filter(part => part !== '').map(part => {
      if (part === '\t') return create('tab')
      if (part === '\n') return create('br')
      if (part === '\u2011') return create('noBreakHyphen')
      const text = create('t')
      text.appendChild(document.createTextNode(part))
      if (part !== part.trim()) text.setAttributeNS(XML, 'xml:space', 'preserve')
      return text
    })
  }

  function linkElement (mark: Mark): Element {
    const link = parts.get(mark)?.cloneNode(false) as Element | undefined ?? create('hyperlink')
    if (parts.get(mark) === undefined) link.setAttributeNS(WORD, 'w:anchor', String(mark.attrs.href).slice(1))
    return link
  }

  function rewrite (element: Element, node: Node): void {
    const before = parts.asRead(node.attrs.ref)
    const points = parts.get(node) === element ? source.points.get(node.attrs.ref) ?? [] : []
    for (const child of childElements(element)) if (child.localName !== 'pPr') element.removeChild(child)
    writeParagraphProperties(element, node)
    const fallback = lookOf(node, element, before)
    for (const part of withPoints(node, points)) {
      if ('localName' in part) element.appendChild(part)
      else appendInline(element, part, fallback)
    }
  }

  function appendInline (paragraph: Element, content: readonly Node[], fallback: Element | undefined): void {
    let around: { readonly mark: Mark, readonly element: Element } | undefined
    for (const node of content) {
      const link = marks.link!.isInSet(node.marks)
      if (link === undefined || !isWritable(link)) around = undefined
      else if (around?.mark.eq(link) !== true) {
        around = { mark: link, element: paragraph.appendChild(linkElement(link)) as Element }
      }
      for (const part of inline(node, fallback)) (around?.element ?? paragraph).appendChild(part)
    }
  }

  /** A link to a new address would need a relationship. */
  function isWritable (mark: Mark): boolean {
    return parts.get(mark) !== undefined || String(mark.attrs.href).startsWith('#')
  }

  return {
    parts,
    containerOf: element => firstChild(element, 'sdtContent') ?? element,
    create (node, source) {
      switch (node.type.name) {
        case 'paragraph': return createParagraph(source)
        case 'table': return createTable(node)
        case 'table_row': return createCopy(source, 'tr', 'trPr')
        case 'table_cell': return createCopy(source, 'tc', 'tcPr')
        case 'section': return null
        default: return source?.cloneNode(true) as Element | undefined ?? null
      }
    },
    rewrite,
    keepEmpty (element) {
      if (firstChild(firstChild(element, 'pPr'), 'sectPr') === undefined) return false
      for (const child of childElements(element)) if (child.localName !== 'pPr') element.removeChild(child)
      return true
    },
    /** A cell ends with a paragraph. */
    finish (container) {
      if (container.localName === 'tc' && childElements(container).at(-1)?.localName !== 'p') {
        container.appendChild(create('p'))
      }
    }
  }
}

function styleOf (properties: Element | undefined): string {
  return firstChild(properties, 'pStyle')?.getAttributeNS(WORD, 'val') ?? ''
}

/** The ids of what has a start and an end. */
function pairedIds (body: Element): Map<string, Set<string>> {
  return new Map(PAIRS.map(([start, end]) => {
    const ends = new Set(idsOf(body, end).keys())
    return [start, new Set([...idsOf(body, start).keys()].filter(id => ends.has(id)))]
  }))
}

/** Removes the other half of what lost its start or its end. */
function removeUnpaired (body: Element, pairs: ReadonlyMap<string, ReadonlySet<string>>): void {
  for (const [start, end] of PAIRS) {
    const [starts, ends] = [idsOf(body, start), idsOf(body, end)]
    for (const id of pairs.get(start)!) {
      const left = [starts.get(id), ends.get(id)].filter(element => element !== undefined)
      if (left.length === 1) left[0]!.parentNode!.removeChild(left[0]!)
    }
  }
}

function idsOf (body: Element, name: string): Map<string, Element> {
  const found = [...body.getElementsByTagNameNS(WORD, name)]
  return new Map(found.map(element => [element.getAttributeNS(WORD, 'id') ?? '', element]))
}
