import { type Document, type Element, XMLSerializer } from '@xmldom/xmldom'
import type { Node } from 'prosemirror-model'
import type { Mappable } from 'prosemirror-transform'
import { attribute, childElements } from '../office/elements.js'
import type { OfficePackage } from '../office/package.js'
import { movedPoints, withPoints } from '../prose/parts.js'
import { marks, wellFormed } from '../prose/prose.js'
import { type BlockWriter, writeBlocks } from '../prose/write-blocks.js'
import { type OpenDocumentSource, readOpenDocument } from './read.js'
import { PRESENTATION, TABLE, TEXT } from './styles.js'

/** The content part with another text. Paragraphs that did not change stay as they are. */
export function writtenOpenDocument (office: OfficePackage, doc: Node, changes: Mappable): string {
  const read = readOpenDocument(office)
  const points = movedPoints(read.points, read.doc, doc, changes)
  writeBlocks(blockWriter({ ...read, points }, read.content), read.body, doc.children)
  return new XMLSerializer().serializeToString(read.content)
}

function blockWriter ({ parts, styles, points }: OpenDocumentSource, document: Document): BlockWriter {
  const create = (name: string) => created(document, name)

  function createParagraph ({ attrs }: Node, source: Element | undefined): Element {
    const level = attrs.level as number | null
    const element = create(level === null || level === 0 ? 'p' : 'h')
    if (level !== null && level > 0) element.setAttributeNS(TEXT, 'text:outline-level', String(level))
    const before = parts.asRead(attrs.ref)?.attrs.level as number | null | undefined
    const style = source === undefined || before !== level
      ? level === null ? undefined : level === 0 ? 'Title' : `Heading_20_${level}`
      : attribute(source, 'style-name')
    if (style !== undefined) element.setAttributeNS(TEXT, 'text:style-name', style)
    return element
  }

  function createTable ({ children: rows }: Node): Element {
    const table = document.createElementNS(TABLE, 'table:table')
    const columns = table.appendChild(document.createElementNS(TABLE, 'table:table-column')) as Element
    const count = Math.max(...rows.map(({ childCount }) => childCount))
    columns.setAttributeNS(TABLE, 'table:number-columns-repeated', String(count))
    return table
  }

  function createOfTable (name: string, source: Element | undefined): Element {
    const element = document.createElementNS(TABLE, `table:${name}`)
    const style = source === undefined ? undefined : attribute(source, 'style-name')
    if (style !== undefined) element.setAttributeNS(TABLE, 'table:style-name', style)
    return element
  }

  function inline (node: Node): Array<Element | ReturnType<Document['createTextNode']>> {
    const { type } = node
    if (type.name === 'kept' || type.name === 'image') {
      const source = parts.get(node)
      return source === undefined ? [] : [source.cloneNode(true) as Element]
    }
    const content = type.name === 'hard_break' ? [create('line-break')] : textParts(document, node.text ?? '')
    const look = parts.get(marks.look!.isInSet(node.marks))
    const name = look === undefined ? undefined : attribute(look, 'style-name')
    const style = styles.withFormats(name, new Set(node.marks.map(({ type }) => type.name)))
    if (look === undefined && style === undefined) return content
    const span = look?.cloneNode(false) as Element | undefined ?? create('span')
    if (style !== undefined) span.setAttributeNS(TEXT, 'text:style-name', style)
    for (const part of content) span.appendChild(part)
    return [span]
  }

  function appendInline (paragraph: Element, content: readonly Node[]): void {
    for (const node of content) {
      const link = parts.get(marks.link!.isInSet(node.marks))
      const parent = link === undefined ? paragraph : paragraph.appendChild(link.cloneNode(false))
      for (const part of inline(node)) parent.appendChild(part)
    }
  }

  return {
    parts,
    containerOf: element => childElements(element).find(({ localName }) => localName === 'text-box') ?? element,
    create (node, source, parent) {
      switch (node.type.name) {
        case 'paragraph': return createParagraph(node, source)
        case 'section': return source !== undefined && isListPart(source) ? copyOf(source) : null
        case 'table': return isShape(parent) || isListPart(parent) ? null : createTable(node)
        case 'table_row': return createOfTable('table-row', source)
        case 'table_cell': return createOfTable('table-cell', source)
        default: return null
      }
    },
    fits: (element, { attrs }) =>
      element.localName === (attrs.level === null || attrs.level === 0 ? 'p' : 'h') &&
      parts.asRead(attrs.ref)?.attrs.level === attrs.level,
    rewrite (element, node) {
      const own = parts.get(node) === element ? points.get(node.attrs.ref) ?? [] : []
      while (element.firstChild !== null) element.removeChild(element.firstChild)
      for (const part of withPoints(node, own)) {
        if ('localName' in part) element.appendChild(part)
        else appendInline(element, part)
      }
    },
    /** What has a text is no placeholder any more. */
    finish (container) {
      const frame = container.parentNode as Element
      if (container.localName === 'text-box' && container.textContent !== '') {
        frame.removeAttributeNS(PRESENTATION, 'placeholder')
      }
      for (const element of childElements(container)) {
        if (container.localName === 'list') isItem(element) ? splitItem(element) : intoItem(element)
        else if (isItem(element)) outOfItem(element)
      }
    }
  }

  /** Each new paragraph in a list has an item of its own, which takes what follows. */
  function splitItem (item: Element): void {
    const isNew = (element: Element) => element.localName === 'p' && !parts.isBlock(element)
    for (const element of childElements(item).slice(1).filter(isNew).reverse()) {
      const rest = [element, ...following(element)]
      const next = item.parentNode!.insertBefore(create('list-item'), item.nextSibling)
      for (const node of rest) next.appendChild(node)
    }
  }

  /** A list consists of items. */
  function intoItem (element: Element): void {
    element.parentNode!.insertBefore(create('list-item'), element).appendChild(element)
  }

  /** For other elements, there are no items. */
  function outOfItem (item: Element): void {
    while (item.firstChild !== null) item.parentNode!.insertBefore(item.firstChild, item)
    item.parentNode!.removeChild(item)
  }
}

function isItem ({ localName }: Element): boolean {
  return ['list-item', 'list-header'].includes(localName!)
}

function isListPart (element: Element): boolean {
  return element.localName === 'list' || isItem(element)
}

function copyOf (element: Element): Element {
  const copy = element.cloneNode(false) as Element
  copy.removeAttribute('xml:id')
  return copy
}

function following (element: Element): Element[] {
  const siblings = childElements(element.parentNode as Element)
  return siblings.slice(siblings.indexOf(element) + 1)
}

function created (document: Document, name: string): Element {
  return document.createElementNS(TEXT, `text:${name}`)
}

/** The first of several spaces, or one at an end, would be lost in a row of others. */
export function textParts (document: Document, text: string) {
  return wellFormed(text).split(/(\t|\n| {2,}|^ | $)/).filter(part => part !== '').map(part => {
    if (part === '\t') return created(document, 'tab')
    if (part === '\n') return created(document, 'line-break')
    if (/[^ ]/.test(part)) return document.createTextNode(part)
    const space = created(document, 's')
    if (part.length > 1) space.setAttributeNS(TEXT, 'text:c', String(part.length))
    return space
  })
}

function isShape ({ localName }: Element): boolean {
  return ['frame', 'custom-shape', 'page'].includes(localName!)
}
