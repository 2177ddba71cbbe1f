import MarkdownIt from 'markdown-it'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5'

export const root = fileURLToPath(new URL('../../', import.meta.url))
const parser = new MarkdownIt({ html: true })
type Token = ReturnType<typeof parser.parse>[number]

/** One Markdown file of this repository. */
export interface Page {
  /** Relative to the root, such as `docs/page.md`. */
  readonly path: string
  readonly blocks: readonly Block[]
  readonly tables: readonly Table[]
  /** In the order of the page. */
  readonly headings: readonly Heading[]
  /** What a URL of the page may end in. */
  readonly anchors: ReadonlySet<string>
  /** Also those in HTML. */
  readonly links: readonly Link[]
  readonly images: readonly Image[]
  /** `code` in the text. */
  readonly codeSpans: readonly CodeSpan[]
}

/** A fenced block of code. */
export interface Block {
  readonly page: string
  /** Of the fence, from 1. */
  readonly line: number
  readonly language: string
  readonly text: string
  /** A comment directly before it, `<!-- name: value -->`, which a reader of the page does not see. */
  readonly marks: Readonly<Record<string, string>>
}

export interface Cell {
  readonly text: string
  readonly codeSpans: readonly string[]
}

export interface Table {
  readonly heading: string
  readonly header: readonly Cell[]
  readonly rows: ReadonlyArray<{ readonly line: number, readonly cells: readonly Cell[] }>
}

export interface Heading {
  readonly line: number
  readonly level: number
  readonly text: string
  /** What GitHub makes of it for the end of a URL. */
  readonly anchor: string
}

export interface Link {
  readonly line: number
  readonly href: string
}

export interface Image {
  readonly line: number
  readonly src: string
  /** `undefined` if another element has it: that of a `<source>` is the one of its `<img>`. */
  readonly alt: string | undefined
}

export interface CodeSpan {
  readonly line: number
  readonly text: string
}

const NOT_OURS = new Set(['node_modules', '.git', '.tap', 'dist', 'reference', 'fixtures', 'App_Data'])

/** Paths of all Markdown files that readers of this repository see. */
export function markdownFiles (): string[] {
  const below = (folder: string): string[] => readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) || path === 'examples/demo/documents' ? [] : below(path)
    return entry.name.endsWith('.md') ? [path] : []
  })
  return below('').sort()
}

export function readPage (path: string): Page {
  return parsePage(path, readFileSync(join(root, path), 'utf8'))
}

export function parsePage (path: string, text: string): Page {
  const page = {
    path,
    blocks: [] as Block[],
    tables: [] as Table[],
    headings: [] as Heading[],
    anchors: new Set<string>(),
    links: [] as Link[],
    images: [] as Image[],
    codeSpans: [] as CodeSpan[]
  }
  const anchors = new Map<string, number>()
  let line = 1
  let marks: Record<string, string> = {}
  let table: { heading: string, header: Cell[], rows: Array<{ line: number, cells: Cell[] }> } | undefined
  let cells: Cell[] = []

  const tokens = parser.parse(text, {})
  for (const [index, token] of tokens.entries()) {
    if (token.map) line = token.map[0] + 1
    switch (token.type) {
      case 'fence':
        page.blocks.push({ page: path, line, language: token.info.trim(), text: token.content, marks })
        break
      case 'html_block':
        readHtml(token.content, line, page)
        break
      case 'table_open':
        table = { heading: page.headings.at(-1)?.text ?? '', header: [], rows: [] }
        page.tables.push(table)
        break
      case 'tr_open':
        cells = []
        break
      case 'tr_close':
        if (table?.header.length === 0) table.header = cells
        else table?.rows.push({ line, cells })
        break
      case 'inline': {
        const before = tokens[index - 1]
        if (before?.type === 'heading_open') page.headings.push(headingOf(token, { line, level: Number(before.tag.slice(1)), anchors }))
        if (before?.type === 'th_open' || before?.type === 'td_open') cells.push(cellOf(token))
        readInline(token, line, page)
      }
    }
    marks = token.type === 'html_block' ? marksOf(token.content) : {}
  }
  for (const { anchor } of page.headings) page.anchors.add(anchor)
  return page
}

interface Found {
  readonly anchors: Set<string>
  readonly links: Link[]
  readonly images: Image[]
  readonly codeSpans: CodeSpan[]
}

function readInline (token: Token, start: number, page: Found): void {
  let line = start
  for (const child of token.children ?? []) {
    if (child.type === 'softbreak' || child.type === 'hardbreak') line++
    if (child.type === 'link_open') page.links.push({ line, href: decodeURI(String(child.attrGet('href'))) })
    if (child.type === 'image') page.images.push({ line, src: decodeURI(String(child.attrGet('src'))), alt: child.content })
    if (child.type === 'html_inline') readHtml(child.content, line, page)
    if (child.type === 'code_inline') page.codeSpans.push({ line, text: child.content })
  }
}

function readHtml (html: string, line: number, { anchors, links, images }: Found): void {
  for (const { tagName, attrs } of elements(parseFragment(html))) {
    const { href, src = '', srcset = '', alt = '', id, name } = Object.fromEntries(
      attrs.map(({ name, value }) => [name, value])
    ) as Record<string, string | undefined>
    if (id !== undefined) anchors.add(id)
    if (tagName === 'a' && name !== undefined) anchors.add(name)
    if (tagName === 'a' && href !== undefined) links.push({ line, href })
    if (tagName === 'img') images.push({ line, src, alt })
    if (tagName === 'source') images.push({ line, src: srcset, alt: undefined })
  }
}

function elements (node: DefaultTreeAdapterTypes.ParentNode): DefaultTreeAdapterTypes.Element[] {
  return node.childNodes.flatMap(child => 'tagName' in child ? [child, ...elements(child)] : [])
}

function headingOf (token: Token, { line, level, anchors }: { line: number, level: number, anchors: Map<string, number> }): Heading {
  const text = plainText(token)
  const base = anchorOf(text)
  const count = anchors.get(base) ?? 0
  anchors.set(base, count + 1)
  return { line, level, text, anchor: count === 0 ? base : `${base}-${count}` }
}

/** As GitHub does it: lower case, without punctuation, a hyphen for each space. */
function anchorOf (heading: string): string {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-')
}

function cellOf (token: Token): Cell {
  return { text: plainText(token), codeSpans: (token.children ?? []).filter(child => child.type === 'code_inline').map(child => child.content) }
}

/** Without markup. */
function plainText (token: Token): string {
  return (token.children ?? []).map(child => child.type === 'softbreak' ? ' ' : child.type === 'html_inline' ? '' : child.content).join('')
}

function marksOf (html: string): Record<string, string> {
  const comment = /^<!--\s*([\w-]+):\s*(.*?)\s*-->\s*$/s.exec(html)
  return comment ? { [comment[1]!]: comment[2]! } : {}
}
