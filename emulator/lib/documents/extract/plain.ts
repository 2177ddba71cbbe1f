import type { TextBlock } from '../types.js'

const MAX_BLOCKS = 1_000_000

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00A0' }

const BLOCK_TAGS = new Set(
  'p div section article header footer main ul ol li table tr blockquote pre h1 h2 h3 h4 h5 h6 br hr body html'.split(
    ' '
  )
)
const HIDDEN_TAGS = new Set(['script', 'style', 'head', 'template'])
const LONGEST_NAME = 16

/** Roughly the text that a browser displays for a page: headings, paragraphs and table rows. */
export function htmlBlocks (source: string): TextBlock[] {
  const blocks: TextBlock[] = []
  let level: number | undefined
  let line: string[] = []

  function endBlock (): void {
    const text = unescaped(line.join('')).replace(/[ \n\r\f]+/g, ' ').trim()
    line = []
    if (text !== '') addBlock(blocks, level === undefined ? { text } : { text, level })
  }

  for (const { tag, text } of piecesOf(source)) {
    const name = tag.replace('/', '')
    if (tag === '/td' || tag === '/th') line.push('\t')
    else if (BLOCK_TAGS.has(name)) {
      endBlock()
      level = /^h[1-6]$/.test(tag) ? Number(tag[1]) : undefined
    }
    line.push(text)
  }
  endBlock()
  return blocks
}

/** Each tag with the text after it, in one pass: no search is repeated. */
function * piecesOf (source: string): Generator<{ readonly tag: string, readonly text: string }> {
  let tag = ''
  for (let at = 0; at < source.length;) {
    const start = indexOr(source.indexOf('<', at), source.length)
    yield { tag, text: source.slice(at, start) }
    tag = ''
    if (source.startsWith('<!--', start)) {
      at = behind(source, '-->', start + 4)
      continue
    }
    const name = /^<(\/?[a-z][a-z0-9]*|[!?])/i.exec(source.slice(start, start + LONGEST_NAME))?.[1]
    if (name === undefined) {
      yield { tag, text: source.slice(start, start + 1) }
      at = start + 1
      continue
    }
    tag = name.toLowerCase()
    at = behind(source, '>', start)
    if (HIDDEN_TAGS.has(tag)) at = behind(source, '>', endTag(source, tag, at))
  }
  yield { tag, text: '' }
}

function endTag (source: string, tag: string, from: number): number {
  const end = new RegExp(`</${tag}\\b`, 'gi')
  end.lastIndex = from
  return end.exec(source)?.index ?? source.length
}

function behind (source: string, end: string, from: number): number {
  return indexOr(source.indexOf(end, from), source.length) + end.length
}

function indexOr (index: number, none: number): number {
  return index === -1 ? none : index
}

/** Markdown source, with its headings as headings. */
export function markdownBlocks (source: string): TextBlock[] {
  return lineBlocks(source).map(line => {
    const heading = /^(#{1,6})\s+(.*)$/.exec(line.text)
    return heading === null ? line : { text: withoutClosing(heading[2]!), level: heading[1]!.length }
  })
}

/** Removes the number signs that may close a heading. */
function withoutClosing (heading: string): string {
  let end = heading.length
  while (heading[end - 1] === '#') end--
  return heading.slice(0, end).trimEnd()
}

/** Each line as a block. */
export function lineBlocks (source: string): TextBlock[] {
  const lines = source.split(/\r\n?|\n/, MAX_BLOCKS + 1)
  if (lines.length > MAX_BLOCKS) throw tooManyBlocks()
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines.map(text => ({ text }))
}

function addBlock (blocks: TextBlock[], block: TextBlock): void {
  if (blocks.push(block) > MAX_BLOCKS) throw tooManyBlocks()
}

function tooManyBlocks (): RangeError {
  return new RangeError(`The text has more than ${MAX_BLOCKS} paragraphs`)
}

function unescaped (text: string): string {
  return text.replace(/&(#x?[0-9a-f]+|[a-z]+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code > 0 && code <= 0x10FFFF ? String.fromCodePoint(code) : whole
  })
}
