import type { Element } from '@xmldom/xmldom'
import type { Mark, Node } from 'prosemirror-model'

/**
 * What the nodes of a text were read from. Reading a file again gives its parts the same names, so that what is written
 * never depends on what was written before.
 */
export function sourceParts () {
  const elements = new Map<string, Element>()
  const blocks = new Set<Element>()
  const asRead = new Map<unknown, Node>()
  const sources = new Map<string, string>()
  const counts = new Map<string, number>()

  function add (kind: string, element: Element): string {
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    elements.set(kind + count, element)
    return kind + count
  }

  return {
    add,
    addBlock (kind: string, element: Element): string {
      blocks.add(element)
      return add(kind, element)
    },
    /** The same name for elements that are written the same. */
    addLook (element: Element, kind: 'look' | 'link' = 'look'): string {
      const source = String(element)
      const ref = sources.get(source) ?? add(kind, element)
      sources.set(source, ref)
      return ref
    },
    /** Under a name of the caller. */
    set: (ref: string, element: Element) => { elements.set(ref, element) },
    /** `undefined` for a new one. */
    get: (part: Node | Mark | undefined): Element | undefined => elements.get(String(part?.attrs.ref)),
    isBlock: (element: Element) => blocks.has(element),
    read (node: Node): Node {
      asRead.set(node.attrs.ref, node)
      return node
    },
    /** A block as it was read. */
    asRead: (ref: unknown) => asRead.get(ref)
  }
}

export type SourceParts = ReturnType<typeof sourceParts>
