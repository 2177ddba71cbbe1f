import type { Element } from '@xmldom/xmldom'
import type { Node } from 'prosemirror-model'

/** A bookmark, or something like it, and its place in the text of its paragraph. */
export interface Point {
  readonly element: Element
  readonly offset: number
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
    addLook (element: Element): string {
      const source = String(element)
      const ref = sources.get(source) ?? add('look', element)
      sources.set(source, ref)
      return ref
    },
    /** Under a name of the caller. */
    set: (ref: string, element: Element) => { elements.set(ref, element) },
    get: (ref: unknown) => elements.get(String(ref)),
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

/** A changed text and its points in order. What was before the change stays there, what was after it moves along. */
export function * withPoints (
  node: Node,
  points: readonly Point[],
  before: Node | undefined
): Generator<readonly Node[] | Element> {
  const start = before?.content.findDiffStart(node.content) ?? null
  const end = before?.content.findDiffEnd(node.content) ?? null
  const grown = node.content.size - (before?.content.size ?? 0)
  let from = 0
  for (const { element, offset } of points) {
    const moved = start === null || end === null || offset <= start
      ? offset
      : offset >= end.a ? offset + grown : start
    const to = Math.min(Math.max(moved, from), node.content.size)
    yield node.content.cut(from, to).content
    yield element
    from = to
  }
  yield node.content.cut(from).content
}
