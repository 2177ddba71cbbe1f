import { type Document, type Element, XMLSerializer } from '@xmldom/xmldom'
import type { Mark, Node } from 'prosemirror-model'
import { childElements, firstChild } from '../office/elements.js'
import type { OfficePackage } from '../office/package.js'
import { XML } from '../office/xml.js'
import { firstLook, type Format, FORMATS, marks, wellFormed } from '../prose/prose.js'
import { type BlockWriter, writeBlocks } from '../prose/write-blocks.js'
import { POINTS, readWord, type WordSource } from './read.js'
import { NAMES, WORD } from './styles.js'

/** The order of properties in ECMA-376, part 1, 17.3. Word calls a file damaged that has another one. */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  pPr: ['pStyle'],
  rPr: ['rStyle', 'rFonts', 'b', 'bCs', 'i', 'iCs', 'caps', 'smallCaps', 'strike', 'dstrike', 'outline', 'shadow',
    'emboss', 'imprint', 'noProof', 'snapToGrid', 'vanish', 'webHidden', 'color', 'spacing', 'w', 'kern', 'position',
    'sz', 'szCs', 'highlight', 'u']
}
/** That the end of a paragraph was added, and so on. */
const SUGGESTIONS = ['ins', 'del', 'moveFrom', 'moveTo']
/** The main part with another text. Paragraphs that did not change stay as they are. */
export function writtenWord (office: OfficePackage, doc: Node, added: ReadonlyMap<string, Element>): string {
  const source = readWord(office)
  const { body, parts } = source
  const document = body.ownerDocument!
  for (const [ref, element] of added) parts.set(ref, document.importNode(element, true))
  writeBlocks(blockWriter(source, document), body, doc.children)
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
    const level = attrs.level as number | null
    if (styles.levelOf(styleOf(known)) === level) return
    const properties = known ?? element.insertBefore(create('pPr'), element.firstChild) as Element
    const style = level === null ? undefined : styles.levels.get(level)
    setProperty(properties, 'pStyle', style === undefined ? null : create('pStyle', style))
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
    for (const child of childElements(element)) {
      if (child.localName !== 'pPr' && !POINTS.has(child.localName!)) element.removeChild(child)
    }
    writeParagraphProperties(element, node)
    const fallback = lookOf(node, element, before)
    appendInline(element, node.children, fallback)
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
        case 'table':
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
