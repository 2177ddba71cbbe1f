import type { Element } from '@xmldom/xmldom'
import type { Mark, Node } from 'prosemirror-model'
import type { Mappable } from 'prosemirror-transform'

/** A bookmark, or something like it, and its place in the text of its paragraph. */
export interface Point {
  readonly element: Element
  readonly offset: number
}

/** What a node or mark can have been read from, by the kind in its name. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  paragraph: ['p'],
  table: ['t'],
  table_row: ['row'],
  table_cell: ['cell'],
  slide: ['slide'],
  section: ['s', 'shape'],
  kept_block: ['s', 'picture'],
  image: ['image', 'kept', 'inserted'],
  kept: ['kept', 'field'],
  link: ['link'],
  look: ['look']
}

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
    /** `undefined` for a new one, and for one whose name is of something else. */
    get (part: Node | Mark | undefined): Element | undefined {
      const ref = String(part?.attrs.ref)
      return part !== undefined && KINDS[part.type.name]?.includes(ref.replace(/\d+$/, '')) === true
        ? elements.get(ref)
        : undefined
    },
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

/** The points of each paragraph, by its name, after the changes between two documents. */
export function movedPoints (
  points: ReadonlyMap<unknown, readonly Point[]>,
  before: Node,
  after: Node,
  changes: Mappable
): Map<unknown, Point[]> {
  const places = new Map<unknown, number>()
  before.descendants(({ attrs }, at) => { if (points.has(attrs.ref)) places.set(attrs.ref, at + 1) })
  const moved = new Map<unknown, Point[]>()
  after.descendants(({ attrs, content }, at) => {
    const from = places.get(attrs.ref)
    if (from === undefined || moved.has(attrs.ref)) return
    moved.set(attrs.ref, points.get(attrs.ref)!.map(({ element, offset }) => ({
      element,
      offset: Math.min(Math.max(changes.map(from + offset) - at - 1, 0), content.size)
    })))
  })
  return moved
}

/** The content of a paragraph with its points in order. */
export function * withPoints (node: Node, points: readonly Point[]): Generator<readonly Node[] | Element> {
  let from = 0
  for (const { element, offset } of points) {
    const to = Math.max(offset, from)
    yield node.content.cut(from, to).content
    yield element
    from = to
  }
  yield node.content.cut(from).content
}
