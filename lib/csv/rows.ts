import { randomInt } from 'node:crypto'
import type { EditorOptions } from '../../types/options.js'

/** A row as it is written. */
export interface Row {
  /** The cells, with their quotation marks. */
  readonly cells: readonly string[]
  /** The line end; `''` after the last row if it has none. */
  readonly end: string
}

const QUOTE = '"'

/**
 * The complete rows of a text, and the rest; all rows if the text `isLast`. A quotation mark is special only at the
 * beginning of a cell. Nothing is lost: the cells, the separators between them and the line ends make up the text.
 * `isOpen`: the last cell's quotation mark is not closed.
 */
export function rowsOf (text: string, separator: string, { isLast }: { readonly isLast: boolean }) {
  const rows: Row[] = []
  let rowStart = 0
  let cells: string[] = []
  for (let at = 0; at < text.length || cells.length > 0;) {
    const [from, isOpen] = text[at] === QUOTE ? afterQuotes(text, at) : [at, false]
    let end = from
    while (end < text.length && !isStop(text, end, separator)) end++
    const isAtEnd = end >= text.length
    // A carriage return may be followed by a line feed in the next part.
    if (!isLast && (isAtEnd || (text[end] === '\r' && end + 1 === text.length))) {
      return { rows, rest: text.slice(rowStart), isOpen: false }
    }
    cells.push(text.slice(at, end))
    if (isOpen) return { rows: [...rows, { cells, end: '' }], rest: '', isOpen }
    at = end + 1
    if (!isAtEnd && text[end] === separator) continue
    const lineEnd = isAtEnd ? '' : text[end] === '\r' && text[end + 1] === '\n' ? '\r\n' : text[end]!
    rows.push({ cells, end: lineEnd })
    cells = []
    at = rowStart = end + lineEnd.length
  }
  return { rows, rest: '', isOpen: false }
}

function isStop (text: string, at: number, separator: string): boolean {
  const character = text[at]
  return character === separator || character === '\n' || character === '\r'
}

/** Where the quotation marks of a cell end, and whether they are never closed. */
function afterQuotes (text: string, start: number): readonly [number, boolean] {
  for (let at = start + 1; ; at += 2) {
    at = text.indexOf(QUOTE, at)
    if (at < 0) return [text.length, true]
    if (text[at + 1] !== QUOTE) return [at + 1, false]
  }
}

/**
 * Whether quotation marks are not closed, or closed before the cell ends. Both mean that the separator is another one.
 */
function isOddlyQuoted (cell: string): boolean {
  if (!cell.startsWith(QUOTE)) return false
  const [end, isOpen] = afterQuotes(cell, 0)
  return isOpen || end < cell.length
}

/** The value of a cell. */
export function valueOf (cell: string): string {
  if (!cell.startsWith(QUOTE)) return cell
  const [end] = afterQuotes(cell, 0)
  return cell.slice(1, end - 1).replaceAll('""', QUOTE) + cell.slice(end)
}

/** A cell with this value: in quotation marks if it needs them, or if `model` has some without needing them. */
export function cellOf (value: string, separator: string, model: string | undefined): string {
  const isQuoted = needsQuotes(value, separator) ||
    (model?.startsWith(QUOTE) === true && !needsQuotes(valueOf(model), separator))
  return isQuoted ? `"${value.replaceAll(QUOTE, '""')}"` : value
}

function needsQuotes (value: string, separator: string): boolean {
  return value.includes(separator) || /["\r\n]/.test(value)
}

/** A spreadsheet has at most this many. */
const MAX_ROWS = 1_048_576
const FIRST_SLOTS = 1024

/** Remembers the rows of a file in 12 to 24 bytes each: by 64 bits of a hash, which no two rows of a file share. */
export function createRowTable () {
  /** Three numbers for each slot: two hashes of the key, and one of the text. */
  let slots = new Int32Array(3 * FIRST_SLOTS)
  let used = 0
  let rows = 0

  function slotOf (table: Int32Array, first: number, second: number): number {
    const count = table.length / 3
    let slot = (first >>> 0) % count
    while (table[3 * slot] !== 0 && (table[3 * slot] !== first || table[3 * slot + 1] !== second)) {
      slot = (slot + 1) % count
    }
    return 3 * slot
  }

  function grow (): void {
    const larger = new Int32Array(2 * slots.length)
    for (let at = 0; at < slots.length; at += 3) {
      if (slots[at] !== 0) larger.set(slots.subarray(at, at + 3), slotOf(larger, slots[at]!, slots[at + 1]!))
    }
    slots = larger
  }

  function find (key: string): number {
    return slotOf(slots, hashOf(key, FIRST_SEED), hashOf(key, SECOND_SEED))
  }

  return {
    get rows () { return rows },
    /** `key` is how a row looks, `text` is how it is written. Returns whether there was room. */
    add (key: string, text: string): boolean {
      if (++rows > MAX_ROWS) return false
      const at = find(key)
      const written = hashOf(text, FIRST_SEED)
      if (slots[at] !== 0) {
        if (slots[at + 2] !== written) slots[at + 2] = AMBIGUOUS
        return true
      }
      slots.set([hashOf(key, FIRST_SEED), hashOf(key, SECOND_SEED), written], at)
      if (2 * ++used > slots.length / 3) grow()
      return true
    },
    has: (key: string) => slots[find(key)] !== 0,
    /** Whether there are rows that look like this but are written differently. */
    isAmbiguous: (key: string) => slots[find(key) + 2] === AMBIGUOUS
  }
}

/** Random, so that nobody can write rows that all have the same slot. */
const [FIRST_SEED, SECOND_SEED] = [randomInt(2 ** 32), randomInt(2 ** 32)]
/** Not a hash: those are odd, and never 0. */
const AMBIGUOUS = 2

function hashOf (text: string, seed: number): number {
  let hash = seed
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
    hash ^= hash >>> 15
  }
  return hash | 1
}

/** The encoding of a file that is not in Unicode. */
type LegacyEncoding = NonNullable<NonNullable<EditorOptions['csv']>['encoding']>
type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | LegacyEncoding

/** How a CSV file is written. */
export interface Dialect {
  readonly encoding: Encoding
  /** Whether the file begins with a byte order mark. */
  readonly isMarked: boolean
  readonly separator: string
}

/** Number of bytes that determine the dialect. */
export const HEAD_BYTES = 64 * 1024

const MARKS: ReadonlyArray<readonly [Encoding, Buffer]> = [
  ['utf-8', Buffer.from('efbbbf', 'hex')],
  ['utf-16le', Buffer.from('fffe', 'hex')],
  ['utf-16be', Buffer.from('feff', 'hex')]
]

/** The first of several equally good ones wins: commas also occur in numbers, colons in times. */
const SEPARATORS = ['\t', ';', '|', ',', ':']
const DEFAULT_SEPARATOR = ','
const MAX_SAMPLE_ROWS = 50

/**
 * The dialect of a file that begins with these bytes; `undefined` for an empty file, and for content that is not text.
 */
export function dialectOf (
  head: Uint8Array,
  { legacyEncoding, separator }: { readonly legacyEncoding: LegacyEncoding, readonly separator?: string | undefined }
): Dialect | undefined {
  if (head.length === 0) return undefined
  const marked = MARKS.find(([, mark]) => mark.equals(head.subarray(0, mark.length)))
  if (!marked && head.includes(0)) return undefined
  const encoding = marked?.[0] ?? (isUtf8(head) ? 'utf-8' : legacyEncoding)
  return {
    encoding,
    isMarked: marked !== undefined,
    separator: separator ?? separatorOf(new TextDecoder(encoding).decode(head))
  }
}

/** Whether the bytes do not reveal the encoding of those that follow. */
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

/** Whether the bytes may begin a file in UTF-8. The last character may be incomplete. */
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
    const rows = rowsOf(text, separator, { isLast: true }).rows.slice(0, MAX_SAMPLE_ROWS)
    if (rows.length > 1) rows.pop() // it may be cut off
    if (rows.some(({ cells }) => cells.some(isOddlyQuoted))) continue
    const widths = rows.map(({ cells }) => cells.length)
    const share = Math.max(...widths.map(width => width > 1 ? widths.filter(other => other === width).length : 0)) /
      widths.length
    if (share > best.share) best = { separator, share }
  }
  return best.separator
}

const CODE_PAGES: Readonly<Record<string, number>> = { 'utf-8': 65001, 'utf-16le': 1200, 'utf-16be': 1201 }
const DELIMITERS: Readonly<Record<string, number>> = { '\t': 1, ';': 2, ':': 3, ',': 4 }

/**
 * The `document.options` of a configuration that keep the editor from asking. Source:
 * docs/document-server-protocol.md#csv-files
 */
export function editorOptionsOf ({ encoding, separator }: Dialect): Record<string, unknown> {
  const delimiter = DELIMITERS[separator]
  return {
    codePage: CODE_PAGES[encoding] ?? Number(encoding.slice('windows-'.length)),
    ...(delimiter === undefined ? { delimiterChar: separator } : { delimiter })
  }
}

/** Encodes text; `undefined` for text with a character that the encoding lacks. */
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
  const bytes = new Map([...characters].map((character, byte) => [character.charCodeAt(0), byte]))
  bytes.delete(0xfffd)
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
