import { merge } from '../browser/writing/merge.js'
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
  let text = decoded.slice(mark.length)
  let changed = false

  function replace (next: string): boolean {
    if (next === text) return false
    text = next
    changed = true
    return true
  }

  return {
    view: () => ({ kind: 'text', text: withLineFeeds(text) }),
    apply (operation) {
      if (operation.op !== 'text') return null
      const before = withLineFeeds(text)
      const next = merge(withLineFeeds(operation.base ?? before), before, withLineFeeds(operation.text))
      if (next === before) return null
      replace(next.replaceAll('\n', lineEnd))
      return { op: 'text', text: next }
    },
    replaceText: replace,
    bytes: () => changed ? new TextEncoder().encode(mark + text) : original
  }
}

function withLineFeeds (text: string): string {
  return text.replaceAll('\r\n', '\n')
}
