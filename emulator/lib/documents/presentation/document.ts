import { type Document, type Element, XMLSerializer } from '@xmldom/xmldom'
import type { Node } from 'prosemirror-model'
import { childElements, firstChild } from '../office/elements.js'
import { type OfficePackage, openPackage } from '../office/package.js'
import { firstLook, FORMATS, marks, proseDocument, wellFormed } from '../prose/prose.js'
import { type BlockWriter, ownersOf, writeBlocks } from '../prose/write-blocks.js'
import type { SourceParts } from '../prose/parts.js'
import type { Editable } from '../types.js'
import { ATTRIBUTES, DRAWING, hasFormat, readPresentation } from './read.js'

/** A .pptx whose text is edited in place. Shapes, pictures and whatever is not edited stay unchanged. */
export function presentationDocument (original: Uint8Array): Editable {
  const office = openPackage(original)
  const { doc } = readPresentation(office)
  return proseDocument(original, { doc, write: doc => written(office, doc) })
}

function written (office: OfficePackage, doc: Node): Uint8Array {
  const { doc: before, slides, parts } = readPresentation(office)
  const changed = new Map<string, string>()
  const owners = ownersOf({ parts }, doc.children)
  for (const node of doc.children) {
    const tree = parts.get(node)
    const slide = slides.find(({ document }) => document === tree?.ownerDocument)
    const isSame = before.children.some(known => known.attrs.ref === node.attrs.ref && known.eq(node))
    if (tree === undefined || slide === undefined || isSame) continue
    writeBlocks(blockWriter(parts, slide.document), tree, node.children, owners)
    changed.set(slide.part, new XMLSerializer().serializeToString(slide.document))
  }
  return office.withParts(changed)
}

function blockWriter (parts: SourceParts, document: Document): BlockWriter {
  const create = (name: string) => document.createElementNS(DRAWING, `a:${name}`)
  const copy = (element: Element | undefined) => element?.cloneNode(true) as Element | undefined

  /** Text without formats of its own looks like the paragraph's first, or like its end. */
  function runProperties (node: Node, fallback: Element | undefined): Element {
    const look = marks.look!.isInSet(node.marks)
    const properties = copy(parts.get(look)) ?? create('rPr')
    if (look === undefined && fallback !== undefined) {
      for (const attribute of fallback.attributes) properties.setAttribute(attribute.name, attribute.value)
      for (const child of childElements(fallback)) properties.appendChild(child.cloneNode(true))
    }
    for (const format of FORMATS) {
      const isWanted = node.marks.some(({ type }) => type.name === format)
      const { name, on, off } = ATTRIBUTES[format]
      if (hasFormat(properties, format) !== isWanted) properties.setAttribute(name, isWanted ? on : off)
    }
    return properties
  }

  function inline (node: Node, fallback: Element | undefined): Element[] {
    if (node.type.name === 'kept') return [copy(parts.get(node))].filter(element => element !== undefined)
    const pieces = node.type.name === 'hard_break' ? ['\n'] : wellFormed(node.text ?? '').split(/(\n)/)
    return pieces.filter(piece => piece !== '').map(piece => {
      const element = create(piece === '\n' ? 'br' : 'r')
      element.appendChild(runProperties(node, fallback))
      if (piece !== '\n') element.appendChild(create('t')).appendChild(document.createTextNode(piece))
      return element
    })
  }

  return {
    parts,
    containerOf: element => firstChild(element, 'txBody') ?? element,
    create ({ type: { name } }, source) {
      if (name !== 'paragraph') return null
      const paragraph = create('p')
      const properties = copy(firstChild(source, 'pPr'))
      if (properties !== undefined) paragraph.appendChild(properties)
      return paragraph
    },
    rewrite (element, node) {
      const end = firstChild(element, 'endParaRPr') ?? null
      const fallback = parts.get(firstLook(parts.asRead(node.attrs.ref))) ?? end ?? undefined
      for (const child of childElements(element)) {
        if (child !== end && child.localName !== 'pPr') element.removeChild(child)
      }
      for (const child of node.children) {
        for (const part of inline(child, fallback)) element.insertBefore(part, end)
      }
    }
  }
}
