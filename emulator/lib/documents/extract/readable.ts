import type { Node } from 'prosemirror-model'
import { schema } from '../../text/schema.js'
import { nodes, paragraphOf } from '../prose/prose.js'
import { openPackage } from '../office/package.js'
import type { TextBlock } from '../types.js'
import { textBlocks } from './extract.js'
import { texts } from './texts.js'

const SHEETS = new Set(['xlsx', 'ods', 'csv'])

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

/** Sheets as tables, everything else as paragraphs. */
export function docOf (fileType: string, blocks: readonly TextBlock[]): Node {
  if (blocks.length === 0) return schema.node('doc', null, nodes.paragraph!.create())
  if (SHEETS.has(fileType)) return schema.node('doc', null, pages(blocks).map(rows => tableOf(rows)))
  return schema.node('doc', null, blocks.map(({ text, level = null }) => {
    const { type, content } = paragraphOf(text)
    return type.create({ level }, content)
  }))
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
