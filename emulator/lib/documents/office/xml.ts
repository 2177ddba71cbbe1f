import { type Document, DOMParser } from '@xmldom/xmldom'

// As deep as libxml2 goes by default. Word's own documents stay below 100.
const MAX_DEPTH = 256
// A page of text has about 1000. A DOM takes about 1 KB and 4 µs for each.
const MAX_NODES = 400_000
const MAX_ATTRIBUTES = 1000

/** Nodes that may still be read. */
export interface XmlBudget {
  nodes: number
}

/** What the parts of one document may hold together. */
export function xmlBudget (): XmlBudget {
  return { nodes: MAX_NODES }
}

/**
 * Reads XML that nobody vouches for. Throws, before it builds anything, for what is nested too deep, has too many nodes
 * or a document type, whose entities could grow without end; and for whatever is not well-formed.
 */
export function parseXml (source: string, budget = xmlBudget()): Document {
  count(source, budget)
  const onError = (level: string, message: string) => { if (level !== 'warning') throw new TypeError(message) }
  return new DOMParser({ onError, locator: false }).parseFromString(source.replace(/^\uFEFF/, ''), 'application/xml')
}

/** Goes over the markup once. Whether tags match is left to the parser. */
function count (source: string, budget: XmlBudget): void {
  let depth = 0
  let from = 0
  for (let start = source.indexOf('<'); start !== -1; start = source.indexOf('<', from)) {
    if (start > from) spend(budget, 1) // text
    if (source[start + 1] !== '/') spend(budget, 1)
    if (source.startsWith('<!--', start)) from = endOf(source, '-->', start + 4)
    else if (source.startsWith('<![CDATA[', start)) from = endOf(source, ']]>', start)
    else if (source.startsWith('<?', start)) from = endOf(source, '?>', start)
    else if (source[start + 1] === '!') throw new TypeError('Document types are not read')
    else if (source[start + 1] === '/') {
      depth--
      from = endOf(source, '>', start)
    } else {
      from = endOfTag(source, start, budget)
      if (source[from - 2] !== '/') depth++
    }
    if (depth > MAX_DEPTH) throw new RangeError(`Elements are nested more than ${MAX_DEPTH} deep`)
  }
}

/** Behind a start tag: a `>` in the value of an attribute does not end it. */
function endOfTag (source: string, start: number, budget: XmlBudget): number {
  const mark = /["'>]/g
  mark.lastIndex = start
  for (let attributes = 0; attributes <= MAX_ATTRIBUTES; attributes++) {
    const found = mark.exec(source)
    if (found === null) throw new TypeError('A tag has no end')
    if (found[0] === '>') return mark.lastIndex
    spend(budget, 1)
    mark.lastIndex = endOf(source, found[0], mark.lastIndex)
  }
  throw new RangeError(`An element has more than ${MAX_ATTRIBUTES} attributes`)
}

function endOf (source: string, end: string, from: number): number {
  const index = source.indexOf(end, from)
  if (index === -1) throw new TypeError(`There is no ${end}`)
  return index + end.length
}

function spend (budget: XmlBudget, nodes: number): void {
  budget.nodes -= nodes
  if (budget.nodes < 0) throw new RangeError(`The document has more than ${MAX_NODES} nodes`)
}
