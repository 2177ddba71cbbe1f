import type { TextBlock } from './blocks.js'

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00A0' }

const BLOCK_TAGS = /<\/?(?:p|div|section|article|header|footer|main|ul|ol|li|table|tr|blockquote|pre|h[1-6]|br|hr|body|html)\b[^>]*>/i

/** What a browser would show of a page, roughly: its headings and paragraphs, a table row as one block. */
export function htmlBlocks (source: string): TextBlock[] {
  const visible = source
    .replace(/<!--[^]*?-->/g, '')
    .replace(/<(script|style|head|template)\b[^]*?<\/\1\s*>/gi, '')
    .replace(/<\/t[dh]\s*>/gi, '\t')
  const blocks: TextBlock[] = []
  let level: number | undefined
  for (const part of visible.split(new RegExp(`(${BLOCK_TAGS.source})`, 'i'))) {
    if (BLOCK_TAGS.test(part)) {
      const heading = /^<h([1-6])\b/i.exec(part)
      level = heading === null ? undefined : Number(heading[1])
      continue
    }
    const text = unescaped(part.replace(/<[^>]*>/g, '')).replace(/[ \n\r\f]+/g, ' ').trim()
    if (text !== '') blocks.push(level === undefined ? { text } : { text, level })
  }
  return blocks
}

/** Markdown as it is written, with its headings as headings. */
export function markdownBlocks (source: string): TextBlock[] {
  return source.replace(/\n$/, '').split('\n').map(line => {
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line)
    return heading === null ? { text: line } : { text: heading[2]!, level: heading[1]!.length }
  })
}

function unescaped (text: string): string {
  return text.replace(/&(#x?[0-9a-f]+|[a-z]+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code > 0 && code <= 0x10FFFF ? String.fromCodePoint(code) : whole
  })
}
