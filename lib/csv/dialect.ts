import { setImmediate } from 'node:timers/promises'
import type { FastifyOnlyofficeOptions } from '../../types/options.js'

/** The encoding of a file that is not in Unicode. */
type LegacyEncoding = NonNullable<NonNullable<FastifyOnlyofficeOptions['csv']>['encoding']>
type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | LegacyEncoding

/** How a CSV file is written. */
export interface Dialect {
  readonly encoding: Encoding
  /** Its byte order mark, which may be empty. */
  readonly mark: Buffer
  readonly separator: string
  /** `''` if no row is complete. */
  readonly lineEnd: string
  /** Whether each row has an empty cell at the end. */
  readonly isPadded: boolean
}

/** Number of bytes that determine the dialect. */
export const HEAD_BYTES = 64 * 1024

const MARKS: ReadonlyArray<readonly [Encoding, Buffer]> = [
  ['utf-8', Buffer.from('efbbbf', 'hex')],
  ['utf-16le', Buffer.from('fffe', 'hex')],
  ['utf-16be', Buffer.from('feff', 'hex')]
]
/** The first of several equally good ones wins: commas also occur in numbers, colons in times. */
const USUAL_SEPARATORS = ['\t', ';', '|', ',', ':']

/** The dialect of a file that begins with these bytes; `undefined` if it is not text. */
export function dialectOf (
  head: Uint8Array, legacyEncoding: LegacyEncoding, separator: string | undefined
): Dialect | undefined {
  const [marked, mark = Buffer.alloc(0)] = MARKS.find(([, mark]) => mark.equals(head.subarray(0, mark.length))) ?? []
  if (!marked && head.includes(0)) return undefined
  const encoding = marked ?? (isUtf8(head) ? 'utf-8' : legacyEncoding)
  const text = new TextDecoder(encoding).decode(head)
  return { encoding, mark, ...layoutOf(text, separator === undefined ? USUAL_SEPARATORS : [separator]) }
}

/** The last character may be incomplete. */
function isUtf8 (head: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}

/** The separator, of these, with which most rows have the same number of cells, and more than one. */
function layoutOf (text: string, separators: readonly string[]) {
  let best = { separator: separators.length > 1 ? ',' : separators[0]!, share: 0 }
  for (const separator of separators) {
    const rows = rowsOf(text, separator)
    if (rows.some(row => row.some(({ isOdd }) => isOdd))) continue
    const widths = rows.map(({ length }) => length)
    const share = Math.max(...widths.map(width => width > 1 ? widths.filter(other => other === width).length : 0)) /
      widths.length
    if (share > best.share) best = { separator, share }
  }
  const rows = rowsOf(text, best.separator)
  return {
    separator: best.separator,
    lineEnd: rows[0]?.at(-1)?.end ?? '',
    /** Whether each row has more than one cell. */
    isTable: rows.every(({ length }) => length > 1),
    isPadded: rows.every(row => row.length > 1 && row.at(-1)!.text === '')
  }
}

/** The first rows of a text, without the last one, which may be cut off. */
function rowsOf (text: string, separator: string): readonly Cell[][] {
  const rows: Cell[][] = [[]]
  for (const cell of cellsOf(text, separator, true).cells) {
    rows.at(-1)!.push(cell)
    if (cell.end !== separator) rows.push([])
  }
  if (rows.at(-1)!.length === 0) rows.pop()
  return rows.slice(0, Math.min(50, Math.max(1, rows.length - 1)))
}

interface Cell {
  /** As it is written, with its quotation marks. */
  readonly text: string
  /** The separator or line end behind it; `''` for the last one. */
  readonly end: string
  /** Whether its quotation marks are not closed. */
  readonly isOpen: boolean
  /** Whether they are not closed, or closed before the cell ends: the separator is another one. */
  readonly isOdd: boolean
}

/** The cells of a text, and the rest, which is incomplete. A quotation mark is special only at the start of a cell. */
function cellsOf (text: string, separator: string, isLast: boolean) {
  const pattern = new RegExp(`("[^"]*(?:""[^"]*)*"(?!"))?([^${separator}\\r\\n]*)([${separator}]|\\r\\n?|\\n|$)`, 'y')
  const cells: Cell[] = []
  let at = 0
  while (at < text.length) {
    pattern.lastIndex = at
    const [{ length }, quoted, unquoted, end] = pattern.exec(text) as unknown as [string, string?, string?, string?]
    const isOpen = quoted === undefined && text[at] === '"'
    // More may follow: of a quoted cell, or after a carriage return.
    if (!isLast && (isOpen || at + length === text.length)) break
    const isOdd = isOpen || (quoted !== undefined && unquoted !== '')
    cells.push({ text: `${quoted ?? ''}${unquoted}`, end: end!, isOpen, isOdd })
    at += length
  }
  if (isLast && cells.at(-1)?.end === separator) cells.push({ text: '', end: '', isOpen: false, isOdd: false })
  return { cells, rest: text.slice(at) }
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

/**
 * A saved CSV file cannot be written in the dialect of the stored one. The message gives the reason, without content.
 */
export class NotRestorable extends Error {}

/** Maximum number of characters of a cell: it is examined again with each further part. */
const MAX_CELL = 1024 ** 2
/** Number of bytes after which others get a turn: all of the content may be in memory already. */
const PART = 64 * 1024

/**
 * Writes a saved CSV file, which is in UTF-8, in the dialect of the stored one. `separators`: those that the document
 * server may have written, of which the first one is that of the format. Throws `NotRestorable`, possibly after some
 * of the bytes.
 */
export async function * rewritten (
  saved: AsyncIterable<Uint8Array>, dialect: Dialect, separators: readonly string[]
): AsyncGenerator<Buffer> {
  const { separator, lineEnd } = dialect
  const encode = encoderOf(dialect.encoding)
  let sent: ReturnType<typeof layoutOf> | undefined
  let rest = ''
  /** What separates the next cell from the previous one. */
  let before = ''
  yield dialect.mark
  for await (const [text, isLast] of textsOf(saved)) {
    sent ??= sentLayout(text, separators)
    const read = cellsOf(rest + text, sent.separator, isLast)
    rest = read.rest
    if (rest.length > MAX_CELL) throw new NotRestorable('a cell is too long')
    if (read.cells.some(({ isOpen }) => isOpen)) throw new NotRestorable('a quotation mark is not closed')
    let result = ''
    for (const { text, end } of read.cells) {
      const endsRow = end !== sent.separator
      // The document server adds an empty cell to each row.
      const isAdded = sent.isPadded && !dialect.isPadded && endsRow && text === '' && before === separator
      if (!isAdded) result += before + (sent.separator === separator ? text : cellOf(valueOf(text), separator))
      before = endsRow ? end && (lineEnd || end) : separator
    }
    yield encode(isLast ? result + before : result)
  }
}

function sentLayout (text: string, separators: readonly string[]) {
  const usual = layoutOf(text, separators.slice(0, 1))
  return usual.isTable ? usual : layoutOf(text, separators)
}

/** The text of a file in parts, and whether each is the last one. */
async function * textsOf (content: AsyncIterable<Uint8Array>): AsyncGenerator<readonly [string, boolean]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; at += PART) {
      text += decoded(chunk.subarray(at, at + PART), true)
      if (text.length < PART / 4) continue
      yield [text, false]
      text = ''
      await setImmediate()
    }
  }
  yield [text + decoded(new Uint8Array(), false), true]

  function decoded (bytes: Uint8Array, stream: boolean): string {
    try {
      return decoder.decode(bytes, { stream })
    } catch (cause) {
      throw new NotRestorable('it is not utf-8', { cause })
    }
  }
}

function valueOf (cell: string): string {
  const [, quoted, rest] = /^"([^"]*(?:""[^"]*)*)"(?!")([^]*)$/.exec(cell) ?? []
  return quoted === undefined ? cell : quoted.replaceAll('""', '"') + rest
}

function cellOf (value: string, separator: string): string {
  return value.includes(separator) || /["\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

function encoderOf (encoding: Dialect['encoding']): (text: string) => Buffer {
  switch (encoding) {
    case 'utf-8': return text => Buffer.from(text, 'utf8')
    case 'utf-16le': return text => Buffer.from(text, 'utf16le')
    case 'utf-16be': return text => Buffer.from(text, 'utf16le').swap16()
  }
  const characters = new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))
  const bytes = new Map([...characters].map((character, byte) => [character.charCodeAt(0), byte]))
  bytes.delete(0xfffd)
  return text => {
    const encoded = Buffer.allocUnsafe(text.length)
    for (let index = 0; index < text.length; index++) {
      const byte = bytes.get(text.charCodeAt(index))
      if (byte === undefined) throw new NotRestorable(`it has characters that ${encoding} does not have`)
      encoded[index] = byte
    }
    return encoded
  }
}
