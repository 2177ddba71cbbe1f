import type { Document, Element } from '@xmldom/xmldom'

/** All elements with these local names, in document order. */
export function elements (parent: Document | Element, ...names: string[]): Element[] {
  return childElements(parent).flatMap(child => {
    const inside = elements(child, ...names)
    return names.includes(child.localName!) ? [child, ...inside] : inside
  })
}

/** An attribute by its local name. */
export function attribute (element: Element, name: string): string | undefined {
  return [...element.attributes].find(({ localName }) => localName === name)?.value
}

export function childElements (parent: Document | Element): Element[] {
  return [...parent.childNodes].filter(node => node.nodeType === node.ELEMENT_NODE) as Element[]
}

/** The first child with this local name. */
export function firstChild (parent: Element | undefined, name: string): Element | undefined {
  for (let node = parent?.firstChild ?? null; node !== null; node = node.nextSibling) {
    if (node.localName === name) return node as Element
  }
  return undefined
}
