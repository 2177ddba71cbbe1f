import type { Node } from 'prosemirror-model'
import { schema } from '../../browser/text/schema.js'
import { nodes, paragraphOf } from '../prose/prose.js'
import { readWord } from '../word/read.js'
import { type OfficePackage, openPackage } from '../office/package.js'
import { readOpenDocument } from '../open-document/read.js'
import { readPresentation } from '../presentation/read.js'
import type { TextBlock } from '../types.js'
import { textBlocks } from './extract.js'

/** Formats that are read as texts. */
export const texts = new Map<string, (office: OfficePackage) => { readonly doc: Node }>([
  ['docx', readWord], ['pptx', readPresentation], ['odt', readOpenDocument], ['odp', readOpenDocument]
])
const SHEETS = new Set(['xlsx', 'ods', 'csv'])
const SLIDES = new Set(['pptx', 'odp'])

/** The paragraphs and table rows of a text. A slide starts a page. */
export function blocksOf (doc: Node): TextBlock[] {
  const blocks: TextBlock[] = []
  let newPage = false
  doc.descendants(node => {
    if (node.type === nodes.slide) newPage = blocks.length > 0
    const isRow = node.type === nodes.table_row
    if (!node.isTextblock && node.type !== nodes.kept_block && !isRow) return true
    const { level = null } = node.attrs as { readonly level?: number | null }
    blocks.push({
      text: isRow ? node.children.map(textOf).join('\t').trimEnd() : textOf(node),
      ...(level !== null && { level }),
      ...(newPage && { newPage })
    })
    newPage = false
    return false
  })
  return blocks
}

function textOf (node: Node): string {
  return node.isLeaf ? String(node.attrs.text) : node.textBetween(0, node.content.size, ' ')
}

/** A file as a page shows it without editing it: empty for one whose text cannot be read. */
export function readableDoc (fileType: string, bytes: Uint8Array): Node {
  try {
    const read = texts.get(fileType)
    if (read !== undefined && bytes.length > 0) return read(openPackage(bytes)).doc
    return docOf(fileType, textBlocks(fileType, bytes) ?? [])
  } catch {
    return docOf(fileType, [])
  }
}

/** Sheets as tables, slides one by one, everything else as paragraphs. */
export function docOf (fileType: string, blocks: readonly TextBlock[]): Node {
  if (blocks.length === 0) return schema.node('doc', null, nodes.paragraph!.create())
  if (SHEETS.has(fileType)) return schema.node('doc', null, pages(blocks).map(rows => tableOf(rows)))
  const paragraphs = (page: readonly TextBlock[]) => page.map(block => {
    const { type, content } = paragraphOf(block.text)
    return type.create({ level: block.level ?? null }, content)
  })
  if (!SLIDES.has(fileType)) return schema.node('doc', null, paragraphs(blocks))
  return schema.node('doc', null, pages(blocks).map((page, index) =>
    nodes.slide!.create({ name: `Slide ${index + 1}` }, paragraphs(page))))
}

function pages (blocks: readonly TextBlock[]): TextBlock[][] {
  const found: TextBlock[][] = []
  for (const block of blocks) {
    const last = found.at(-1)
    if (last === undefined || block.newPage === true) found.push([block])
    else last.push(block)
  }
  return found
}

function tableOf (rows: readonly TextBlock[]): Node {
  const cells = rows.map(({ text }) => text.split('\t'))
  const width = Math.max(...cells.map(row => row.length))
  return nodes.table!.create(null, cells.map(row =>
    nodes.table_row!.create(null, Array.from({ length: width }, (_, column) =>
      nodes.table_cell!.create(null, paragraphOf(row[column] ?? ''))))))
}
