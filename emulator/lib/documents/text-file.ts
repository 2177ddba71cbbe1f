import type { Node } from 'prosemirror-model'
import { schema } from '../text/schema.js'
import { paragraphOf, proseDocument } from './prose/prose.js'
import type { Editable } from './types.js'

const BYTE_ORDER_MARK = '\uFEFF'
const TEXT_FORMATS = new Set(['txt', 'md', 'csv', 'html', 'htm', 'xml'])

/** Whether files of a format are plain text. */
export function isTextFormat (fileType: string): boolean {
  return TEXT_FORMATS.has(fileType)
}

/** A UTF-8 text file. Editing keeps its byte order mark and line ends. Throws a `TypeError` for other encodings. */
export function textDocument (original: Uint8Array): Editable {
  const decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(original)
  const mark = decoded.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  const lineEnd = decoded.includes('\r\n') ? '\r\n' : '\n'
  const lines = decoded.slice(mark.length).replaceAll('\r\n', '\n').split('\n')
  return proseDocument(original, {
    doc: schema.node('doc', null, lines.map(line => paragraphOf(line))),
    plain: true,
    write: doc => new TextEncoder().encode(mark + linesOf(doc).join('\n').replaceAll('\n', lineEnd))
  })
}

function linesOf (doc: Node): string[] {
  return doc.children.map(({ content }) => content.textBetween(0, content.size, '\n'))
}
