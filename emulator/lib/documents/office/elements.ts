import type { Document, Element, Node } from '@xmldom/xmldom'

// Nested cells are read once per level, so the total is limited. Complete documents are read two or three times.
const MAX_READ = 5_000_000
const read = new WeakMap<Node, number>()

/** All elements with these local names, in document order. */
export function elements (parent: Document | Element, ...names: string[]): Element[] {
  const found: Element[] = []
  const document = parent.ownerDocument ?? parent
  let seen = read.get(document) ?? 0
  for (let node = following(parent, parent); node !== null; node = following(node, parent)) {
    if (++seen > MAX_READ) throw new RangeError('The document has too many nested elements')
    if (node.nodeType === node.ELEMENT_NODE && names.includes(node.localName!)) found.push(node as Element)
  }
  read.set(document, seen)
  return found
}

/** The next node within a parent, in document order. */
function following (node: Node, parent: Node): Node | null {
  if (node.firstChild !== null) return node.firstChild
  let last: Node | null = node
  while (last !== null && last !== parent && last.nextSibling === null) last = last.parentNode
  return last === null || last === parent ? null : last.nextSibling
}

/** An attribute by its local name. */
export function attribute (element: Element, name: string): string | undefined {
  return [...element.attributes].find(({ localName }) => localName === name)?.value
}

export function childElements (parent: Element): Element[] {
  return [...parent.childNodes].filter(node => node.nodeType === node.ELEMENT_NODE) as Element[]
}

/** The first child with this local name. */
export function firstChild (parent: Element | undefined, name: string): Element | undefined {
  for (let node = parent?.firstChild ?? null; node !== null; node = node.nextSibling) {
    if (node.localName === name) return node as Element
  }
  return undefined
}
