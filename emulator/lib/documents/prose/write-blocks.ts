import type { Element } from '@xmldom/xmldom'
import type { Node } from 'prosemirror-model'
import { childElements } from '../office/elements.js'
import type { SourceParts } from './parts.js'

/** How a format writes the blocks of a text. */
export interface BlockWriter {
  readonly parts: SourceParts
  /** The element whose children are a block's blocks: mostly the block itself. */
  containerOf (element: Element): Element
  /** A new element, like the one that the block was split or copied from; `null` if there can be none. */
  create (node: Node, source: Element | undefined): Element | null
  /** Whether a text block can still be this element; always, where it is absent. */
  fits? (element: Element, node: Node): boolean
  /** Whether an element stays where it is, such as a shape; without this, all can be moved. */
  isFixed? (element: Element): boolean
  /** Sets the text of an element. */
  rewrite (element: Element, node: Node): void
  /** Empties an element that the file needs; false if it can be removed. */
  keepEmpty (element: Element): boolean
  /** Completes a container whose blocks have been written. */
  finish (container: Element): void
}

/**
 * Makes the children of an element the given blocks. Those that did not change stay as they are, and so does whatever
 * is between them and is no block.
 */
export function writeBlocks (
  writer: BlockWriter,
  parent: Element,
  blocks: readonly Node[],
  used = new Set<Element>()
): void {
  const { parts } = writer
  const wanted = blocks.flatMap(block => elementsOf(writer, block, used))
  for (const element of childElements(parent)) {
    if (parts.isBlock(element) && !wanted.includes(element) && !writer.keepEmpty(element)) parent.removeChild(element)
  }
  let next = childElements(parent).find(element => wanted.includes(element)) ??
    childElements(parent).find(({ localName }) => localName === 'sectPr') ?? null
  let previous: Element | null = null
  for (const element of wanted) {
    if (element === next) next = nextOf(element, wanted)
    else if (element.parentNode !== null && writer.isFixed?.(element) === true) continue
    else parent.insertBefore(element, previous === null ? next : previous.nextSibling)
    previous = element
  }
  writer.finish(parent)
}

/** A section that the format cannot make is written without itself. */
function elementsOf (writer: BlockWriter, node: Node, used: Set<Element>): Element[] {
  const { parts } = writer
  const source = parts.get(node.attrs.ref)
  const isFirst = source !== undefined && parts.isBlock(source) && !used.has(source) &&
    !(node.isTextblock && writer.fits?.(source, node) === false)
  const element = isFirst ? source : writer.create(node, source)
  if (element === null) {
    return node.type.name === 'section' ? node.children.flatMap(child => elementsOf(writer, child, used)) : []
  }
  used.add(element)
  if (isFirst && parts.asRead(node.attrs.ref)?.eq(node) === true) return [element]
  if (node.isTextblock) writer.rewrite(element, node)
  else if (!node.isLeaf) writeBlocks(writer, writer.containerOf(element), node.children, used)
  return [element]
}

function nextOf (element: Element, wanted: readonly Element[]): Element | null {
  let node = element.nextSibling
  while (node !== null && !wanted.includes(node as Element)) node = node.nextSibling
  return node as Element | null
}
