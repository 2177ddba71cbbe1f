import { type Document, DOMParser } from '@xmldom/xmldom'

// libxml2's default. Word's own documents stay below 100.
const MAX_DEPTH = 256
// A page of text has about 1000. A DOM takes about 1 KB and 4 µs for each.
const MAX_NODES = 400_000
const MAX_ATTRIBUTES = 1000

/** How many nodes may still be read. */
export interface XmlBudget {
  nodes: number
}

/** The limit for all parts of one document together. */
export function xmlBudget (): XmlBudget {
  return { nodes: MAX_NODES }
}

/**
 * Parses untrusted XML. Before building anything, it throws if elements are nested too deeply, if there are too many
 * nodes, or if there is a document type, whose entities could expand without limit. It also throws if the XML is not
 * well-formed.
 */
export function parseXml (source: string, budget = xmlBudget()): Document {
  count(source, budget)
  const onError = (level: string, message: string) => { if (level !== 'warning') throw new TypeError(message) }
  return new DOMParser({ onError, locator: false }).parseFromString(source.replace(/^\uFEFF/, ''), 'application/xml')
}

/** Scans the markup once. The parser checks whether tags match. */
function count (source: string, budget: XmlBudget): void {
  let depth = 0
  let from = 0
  for (let start = source.indexOf('<'); start !== -1; start = source.indexOf('<', from)) {
    if (start > from) spend(budget, 1) // text
    if (source[start + 1] !== '/') spend(budget, 1)
    if (source.startsWith('<!--', start)) from = endOf(source, '-->', start + 4)
    else if (source.startsWith('<![CDATA[', start)) from = endOf(source, ']]>', start)
    else if (source.startsWith('<?', start)) from = endOf(source, '?>', start)
    else if (source[start + 1] === '!') throw new TypeError('Document types are not allowed')
    else if (source[start + 1] === '/') {
      depth--
      from = endOf(source, '>', start)
    } else {
      from = endOfTag(source, start, budget)
      if (source[from - 2] !== '/') depth++
    }
    if (depth > MAX_DEPTH) throw new RangeError(`Elements are nested more than ${MAX_DEPTH} levels deep`)
  }
}

/** The end of a start tag. A `>` in an attribute value does not end it. */
function endOfTag (source: string, start: number, budget: XmlBudget): number {
  const mark = /["'>]/g
  mark.lastIndex = start
  for (let attributes = 0; attributes <= MAX_ATTRIBUTES; attributes++) {
    const found = mark.exec(source)
    if (found === null) throw new TypeError('A tag is not closed')
    if (found[0] === '>') return mark.lastIndex
    spend(budget, 1)
    mark.lastIndex = endOf(source, found[0], mark.lastIndex)
  }
  throw new RangeError(`An element has more than ${MAX_ATTRIBUTES} attributes`)
}

function endOf (source: string, end: string, from: number): number {
  const index = source.indexOf(end, from)
  if (index === -1) throw new TypeError(`${end} is missing`)
  return index + end.length
}

function spend (budget: XmlBudget, nodes: number): void {
  budget.nodes -= nodes
  if (budget.nodes < 0) throw new RangeError(`The document has more than ${MAX_NODES} nodes`)
}
