import type { Document, Element } from '@xmldom/xmldom'

/** All elements of a name, whatever their prefix, in document order. */
export function elements (parent: Document | Element, ...names: string[]): Element[] {
  return [...parent.getElementsByTagNameNS('*', '*')].filter(({ localName }) => names.includes(localName!))
}

/** An attribute by its local name. */
export function attribute (element: Element, name: string): string | undefined {
  return [...element.attributes].find(({ localName }) => localName === name)?.value
}

export function hasAncestor (element: Element, name: string): boolean {
  for (let node = element.parentNode; node !== null; node = node.parentNode) {
    if (node.localName === name) return true
  }
  return false
}
