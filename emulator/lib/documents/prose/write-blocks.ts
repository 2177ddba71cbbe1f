import type { Element } from '@xmldom/xmldom'
import type { Node } from 'prosemirror-model'
import { childElements } from '../office/elements.js'
import type { SourceParts } from './parts.js'

/** How a format writes the blocks of a text. */
export interface BlockWriter {
  readonly parts: SourceParts
  /** The element whose children are a block's blocks: mostly the block itself. */
  containerOf (element: Element): Element
  /** A new element, like the one that the block was split or copied from; `null` if the parent can have none. */
  create (node: Node, source: Element | undefined, parent: Element): Element | null
  /** Sets the text of an element. */
  rewrite (element: Element, node: Node): void
  /** Empties an element that the file needs; false if it can be removed, as all can without this. */
  keepEmpty? (element: Element): boolean
  /** Completes a container whose blocks have been written. */
  finish? (container: Element): void
}

/** Which block remains which element: of the halves of what was split, the first. */
export type Owners = Map<Element, Node>

export function ownersOf ({ parts }: Pick<BlockWriter, 'parts'>, blocks: readonly Node[]): Owners {
  const owners: Owners = new Map()
  const claim = (node: Node): boolean => {
    const element = parts.get(node)
    if (element !== undefined && parts.isBlock(element) && !owners.has(element)) owners.set(element, node)
    return !node.isTextblock
  }
  for (const block of blocks) {
    claim(block)
    block.descendants(claim)
  }
  return owners
}

/**
 * Makes the children of an element the given blocks. Those that did not change stay as they are, and so does whatever
 * is between them and is no block.
 */
export function writeBlocks (
  writer: BlockWriter,
  parent: Element,
  blocks: readonly Node[],
  owners = ownersOf(writer, blocks)
): void {
  const { parts } = writer
  const wanted = new Set(blocks.flatMap(block => elementsOf(writer, parent, block, owners)))
  for (const element of childElements(parent)) {
    const isGone = parts.isBlock(element) && !wanted.has(element)
    if (isGone && writer.keepEmpty?.(element) !== true) parent.removeChild(element)
  }
  let next = childElements(parent).find(element => wanted.has(element)) ??
    childElements(parent).find(({ localName }) => localName === 'sectPr') ?? null
  let previous: Element | null = null
  for (const element of wanted) {
    if (element === next) next = nextOf(element, wanted)
    else if (isWithin(parts, element, parent)) continue
    else parent.insertBefore(element, previous === null ? next : previous.nextSibling)
    previous = element
  }
  writer.finish?.(parent)
}

/** A block that the format cannot make is written as the blocks in it. */
function elementsOf (writer: BlockWriter, parent: Element, node: Node, owners: Owners): Element[] {
  const { parts } = writer
  const source = parts.get(node)
  const isOwner = source !== undefined && owners.get(source) === node
  if (isOwner) owners.delete(source)
  const element = isOwner ? source : writer.create(node, source, parent)
  if (element === null) return blocksIn(node).flatMap(child => elementsOf(writer, parent, child, owners))
  if (isOwner && parts.asRead(node.attrs.ref)?.eq(node) === true) return [element]
  if (node.isTextblock) writer.rewrite(element, node)
  else if (!node.isLeaf) writeBlocks(writer, writer.containerOf(element), node.children, owners)
  return [element]
}

/** Those of a table are in its cells. */
function blocksIn ({ children }: Node): Node[] {
  return children.flatMap(child => ['table_row', 'table_cell'].includes(child.type.name) ? blocksIn(child) : [child])
}

/** Whether an element is between others of its parent, such as a shape in a group, and stays there. */
function isWithin (parts: SourceParts, element: Element, parent: Element): boolean {
  let node = element.parentNode
  if (node === parent) return false
  while (node !== null && node !== parent && !parts.isBlock(node as Element)) node = node.parentNode
  return node === parent
}

function nextOf (element: Element, wanted: ReadonlySet<Element>): Element | null {
  let node = element.nextSibling
  while (node !== null && !wanted.has(node as Element)) node = node.nextSibling
  return node as Element | null
}
