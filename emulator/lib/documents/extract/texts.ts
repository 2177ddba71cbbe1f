import type { Node } from 'prosemirror-model'
import type { OfficePackage } from '../office/package.js'
import { readPresentation } from '../presentation/read.js'
import { nodes } from '../prose/prose.js'
import type { TextBlock } from '../types.js'
import { readWord } from '../word/read.js'

/** Formats that are read as texts. */
export const texts = new Map<string, (office: OfficePackage) => { readonly doc: Node }>([
  ['docx', readWord], ['pptx', readPresentation]
])

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
