import type { EditorOptions } from '../../types/options.js'
import { isOddlyQuoted, rowsOf } from './rows.js'

/** Of a file that is not in Unicode. */
type LegacyEncoding = NonNullable<NonNullable<EditorOptions['csv']>['encoding']>
type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | LegacyEncoding

/** How a CSV file is written. */
export interface Dialect {
  readonly encoding: Encoding
  /** Whether it begins with a byte order mark. */
  readonly isMarked: boolean
  readonly separator: string
}

/** Bytes that tell the dialect. */
export const HEAD_BYTES = 64 * 1024

const MARKS: ReadonlyArray<readonly [Encoding, Buffer]> = [
  ['utf-8', Buffer.from('efbbbf', 'hex')],
  ['utf-16le', Buffer.from('fffe', 'hex')],
  ['utf-16be', Buffer.from('feff', 'hex')]
]

/** Of several that fit alike the first: commas also occur in numbers, colons in times. */
const SEPARATORS = ['\t', ';', '|', ',', ':']
const DEFAULT_SEPARATOR = ','
const MAX_ROWS = 50

/** The dialect of a file that begins with these bytes; `undefined` of an empty file, and of what is no text. */
export function dialectOf (head: Uint8Array, { legacyEncoding }: { readonly legacyEncoding: LegacyEncoding }): Dialect | undefined {
  if (head.length === 0) return undefined
  const marked = MARKS.find(([, mark]) => mark.equals(head.subarray(0, mark.length)))
  if (!marked && head.includes(0)) return undefined
  const encoding = marked?.[0] ?? (isUtf8(head) ? 'utf-8' : legacyEncoding)
  return { encoding, isMarked: marked !== undefined, separator: separatorOf(new TextDecoder(encoding).decode(head)) }
}

/** Whether bytes say nothing of the encoding of those that follow. */
export function isAscii (bytes: Uint8Array): boolean {
  return bytes.every(byte => byte < 0x80)
}

/** Whether a whole file is in UTF-8. */
export async function isWhollyUtf8 (content: AsyncIterable<Uint8Array>): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of content) decoder.decode(chunk, { stream: true })
    decoder.decode()
    return true
  } catch {
    return false
  }
}

/** Whether it may begin a file in UTF-8: the last character may be incomplete. */
function isUtf8 (head: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}

/** The separator with which most rows have the same number of cells, and more than one. */
export function separatorOf (text: string): string {
  let best = { separator: DEFAULT_SEPARATOR, share: 0 }
  for (const separator of SEPARATORS) {
    const rows = rowsOf(text, separator, { isLast: true }).rows.slice(0, MAX_ROWS)
    if (rows.length > 1) rows.pop() // it may be cut off
    if (rows.some(({ cells }) => cells.some(isOddlyQuoted))) continue
    const widths = rows.map(({ cells }) => cells.length)
    const share = Math.max(...widths.map(width => width > 1 ? widths.filter(other => other === width).length : 0)) / widths.length
    if (share > best.share) best = { separator, share }
  }
  return best.separator
}

const CODE_PAGES: Readonly<Record<string, number>> = { 'utf-8': 65001, 'utf-16le': 1200, 'utf-16be': 1201 }
const DELIMITERS: Readonly<Record<string, number>> = { '\t': 1, ';': 2, ':': 3, ',': 4 }

/** `document.options` of a configuration: with them the editor does not ask. Source: docs/document-server-protocol.md#csv-files */
export function editorOptionsOf ({ encoding, separator }: Dialect): Record<string, unknown> {
  const delimiter = DELIMITERS[separator]
  return { codePage: CODE_PAGES[encoding] ?? Number(encoding.slice('windows-'.length)), ...(delimiter === undefined ? { delimiterChar: separator } : { delimiter }) }
}

/** Encodes text; `undefined` for text with a character that the encoding does not have. */
export function encoderOf (encoding: Encoding): (text: string) => Buffer | undefined {
  switch (encoding) {
    case 'utf-8': return text => Buffer.from(text, 'utf8')
    case 'utf-16le': return text => Buffer.from(text, 'utf16le')
    case 'utf-16be': return text => Buffer.from(text, 'utf16le').swap16()
    default: return singleByteEncoder(encoding)
  }
}

function singleByteEncoder (encoding: LegacyEncoding): (text: string) => Buffer | undefined {
  const characters = new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))
  const bytes = new Map([...characters].map((character, byte) => [character.charCodeAt(0), byte] as const).filter(([code]) => code !== 0xfffd))
  return text => {
    const encoded = Buffer.allocUnsafe(text.length)
    for (let index = 0; index < text.length; index++) {
      const byte = bytes.get(text.charCodeAt(index))
      if (byte === undefined) return undefined
      encoded[index] = byte
    }
    return encoded
  }
}

export function markOf ({ encoding, isMarked }: Dialect): Buffer {
  return (isMarked && MARKS.find(([name]) => name === encoding)?.[1]) || Buffer.alloc(0)
}
