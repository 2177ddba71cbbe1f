import type { Element } from '@xmldom/xmldom'
import { attribute, childElements } from '../office/elements.js'
import { TABLE } from '../open-document/styles.js'

export type Line = 'row' | 'column' | 'cell'

/** An element, and the place and number of the rows, columns or cells that it stands for. */
export interface Run {
  readonly element: Element
  readonly from: number
  readonly count: number
}

const NAMES = { row: /^table-row$/, column: /^table-column$/, cell: /^(?:covered-)?table-cell$/ }
const GROUPS = /^table-(?:header-)?(?:row|column)s$|^table-(?:row|column)-group$/

/** The rows or columns of a table, or the cells of a row. */
export function * runs (parent: Element, line: Line): Generator<Run> {
  let from = 1
  for (const element of linesIn(parent, NAMES[line])) {
    const count = countOf(element, repeated(line))
    yield { element, from, count }
    from += count
  }
}

function * linesIn (parent: Element, name: RegExp): Generator<Element> {
  for (const child of childElements(parent)) {
    if (name.test(child.localName!)) yield child
    else if (GROUPS.test(child.localName!)) yield * linesIn(child, name)
  }
}

export function runAt (parent: Element, line: Line, at: number): Run | undefined {
  for (const run of runs(parent, line)) if (at < run.from + run.count) return run
  return undefined
}

/** A positive number in an attribute; 1 without one. */
export function countOf (element: Element, name: string): number {
  const given = Number(attribute(element, name))
  return Number.isSafeInteger(given) && given > 0 ? given : 1
}

function repeated (line: Line): string {
  return `number-${line === 'row' ? 'rows' : 'columns'}-repeated`
}

/** The element that stands for one row or cell only. */
export function alone (parent: Element, line: Line, at: number): Element {
  const run = runAt(parent, line, at) ?? appended(parent, line, at)
  const { element, from, count } = run
  const part = (size: number, next: Element['nextSibling']) => {
    if (size > 0) element.parentNode!.insertBefore(withCount(element.cloneNode(true) as Element, line, size), next)
  }
  part(at - from, element)
  part(from + count - 1 - at, element.nextSibling)
  return withCount(element, line, 1)
}

function withCount (element: Element, line: Line, count: number): Element {
  if (count === 1) element.removeAttributeNS(TABLE, repeated(line))
  else element.setAttributeNS(TABLE, `table:${repeated(line)}`, String(count))
  return element
}

/** An empty run up to a place after the last one. */
function appended (parent: Element, line: Line, at: number): Run {
  const last = [...runs(parent, line)].at(-1)
  const create = (name: string) => parent.ownerDocument!.createElementNS(TABLE, `table:${name}`)
  const element = create(`table-${line}`)
  if (line === 'row') element.appendChild(create('table-cell'))
  let before = last?.element
  while (before !== undefined && before.parentNode !== parent) before = before.parentNode as Element
  parent.insertBefore(element, before?.nextSibling ?? null)
  const from = (last?.from ?? 1) + (last?.count ?? 0)
  return { element: withCount(element, line, at - from + 1), from, count: at - from + 1 }
}
