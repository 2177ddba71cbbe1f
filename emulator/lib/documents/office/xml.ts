import { type Document, DOMParser } from '@xmldom/xmldom'

/** The namespace of `xml:space`. */
export const XML = 'http://www.w3.org/XML/1998/namespace'

// libxml2's default. Word's own documents stay below 100.
const MAX_DEPTH = 256
// A page of text has about 1000. A DOM takes about 1 KB and 4 µs for each.
const MAX_NODES = 400_000
const MAX_ATTRIBUTES = 1000
/** A comment, CDATA, an instruction or a tag. A `>` in an attribute value does not end it. */
const MARKUP = /<(?:!--[^]*?-->|!\[CDATA\[[^]*?\]\]>|\?[^]*?\?>|[^!?"'>][^"'>]*(?:(?:"[^"]*"|'[^']*')[^"'>]*)*>)/y

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
  // As XML 1.0 has it. The parser's own way, that of XML 1.1, would make line ends of U+0085 and U+2028.
  const normalizeLineEndings = (text: string) => text.replace(/\r\n?/g, '\n')
  return new DOMParser({ onError, locator: false, normalizeLineEndings })
    .parseFromString(source.replace(/^\uFEFF/, ''), 'application/xml')
}

/** Scans the markup once. The parser checks whether tags match. */
function count (source: string, budget: XmlBudget): void {
  let [depth, end] = [0, 0]
  for (let start = source.indexOf('<'); start !== -1; start = source.indexOf('<', end)) {
    if (source.startsWith('<!DOCTYPE', start)) throw new TypeError('Document types are not allowed')
    MARKUP.lastIndex = start
    const markup = MARKUP.exec(source)?.[0]
    if (markup === undefined) throw new TypeError('A tag is not closed')
    const isEnd = markup[1] === '/'
    const isStart = !isEnd && markup[1] !== '!' && markup[1] !== '?'
    const attributes = isStart ? markup.match(/"[^"]*"|'[^']*'/g)?.length ?? 0 : 0
    if (attributes > MAX_ATTRIBUTES) throw new RangeError(`An element has more than ${MAX_ATTRIBUTES} attributes`)
    budget.nodes -= attributes + (isEnd ? 0 : 1) + (start > end ? 1 : 0) // a text before it
    if (budget.nodes < 0) throw new RangeError(`The document has more than ${MAX_NODES} nodes`)
    depth += isEnd ? -1 : isStart && !markup.endsWith('/>') ? 1 : 0
    if (depth > MAX_DEPTH) throw new RangeError(`Elements are nested more than ${MAX_DEPTH} levels deep`)
    end = MARKUP.lastIndex
  }
}
