import type { TextBlock } from '../types.js'

const MAX_BLOCKS = 1_000_000

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00A0' }

const HIDDEN = /<!--[^]*?(?:-->|$)|<(script|style|head|template)\b[^]*?(?:<\/\1\b[^>]*>|$)/gi
const CELL_ENDS = /<\/t[dh]\b[^>]*>?/gi
const BLOCK = /<\/?(?:p|div|section|article|header|footer|main|ul|ol|li|table|tr|blockquote|pre|h[1-6]|br|hr|body|html)\b[^>]*>?/gi
const TAG = /<[!?/a-z][^>]*>?/gi

/** Roughly the text that a browser displays for a page: paragraphs and table rows. */
export function htmlBlocks (source: string): TextBlock[] {
  const text = source.replace(/\s+/g, ' ')
    .replace(HIDDEN, '').replace(CELL_ENDS, '\t').replace(BLOCK, '\n').replace(TAG, '')
  return lineBlocks(text).map(({ text }) => ({ text: unescaped(text).trim() })).filter(({ text }) => text !== '')
}

/** Each line as a block. */
export function lineBlocks (source: string): TextBlock[] {
  const lines = source.split(/\r\n?|\n/, MAX_BLOCKS + 1)
  if (lines.length > MAX_BLOCKS) throw new RangeError(`The text has more than ${MAX_BLOCKS} paragraphs`)
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines.map(text => ({ text }))
}

function unescaped (text: string): string {
  return text.replace(/&(#x?[0-9a-f]+|[a-z]+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code > 0 && code <= 0x10FFFF ? String.fromCodePoint(code) : whole
  })
}
