import { type Dialect, encoderOf, markOf } from './dialect.js'
import { cellOf, type Row, rowsOf, valueOf } from './rows.js'

/** A saved CSV file cannot be written in the dialect of the stored one. The message says why, without content. */
export class NotRestorable extends Error {}

export interface Restoring {
  /** In UTF-8, as the document server has written it. */
  readonly saved: AsyncIterable<Uint8Array>
  readonly stored: AsyncIterable<Uint8Array>
  /** Of the stored file. */
  readonly dialect: Dialect
  /** Called if stored rows were moved too far to be recognized. */
  readonly onUnmatched: () => void
}

/** A row with what its cells say, in the form in which they are compared. */
interface ComparedRow extends Row {
  readonly values: readonly string[]
  /** The same for rows that look alike in the editor. `''` of a row without content. */
  readonly key: string
}

/** Characters. A longer row would need too much memory. */
const MAX_ROW = 4 * 1024 ** 2
/** Characters of the rows that are looked at in one file. */
const MAX_LOOKAHEAD = 8 * 1024 ** 2
/** Rows that are looked at for the next one that has not changed: most changes are small. */
const REACHES = [4, 32, 256]
/** Cells that are compared in one change, to find out which row has become which. */
const MAX_COMPARED = 256 * 1024
/** Characters of rows that have no counterpart so far. */
const MAX_LOST = 8 * 1024 ** 2
/** Rows and characters that show how the document server has written the file. */
const SAMPLE_ROWS = 20
const SAMPLE = 16 * 1024
const SAVED_SEPARATORS = [',', ';', '\t']
const WRITTEN_AT_ONCE = 64 * 1024

/**
 * Writes a saved CSV file in the dialect of the stored one. Rows and cells that nobody has changed keep their text, because the document
 * server writes numbers, quotation marks, line ends and separators in its own way. What has no counterpart is written as the document
 * server sent it. Throws `NotRestorable`, possibly after some of the bytes. Source: docs/document-server-protocol.md#csv-files
 */
export async function * restored ({ saved, stored, dialect, onUnmatched }: Restoring): AsyncGenerator<Buffer> {
  const { separator } = dialect
  const before = createReader(texts(unreadableIs(stored), dialect.encoding), separator, asOpened)
  const after = await readerOfSaved(texts(saved, 'utf-8'), before, separator)
  const lost = createLost(onUnmatched)
  const writer = createWriter(dialect, before.at(0)?.end || '\n')
  let latest: Row | undefined
  yield markOf(dialect)

  function write (now: ComparedRow, old: ComparedRow | undefined): void {
    if (old && shareCells(old, now)) return writer.write(merged(old, now, separator), old.end)
    if (old) lost.add(old)
    const moved = lost.find(now.key) ?? before.find(now.key)
    if (moved) return writer.write(moved.cells, moved.end)
    lost.noteNew(now.key)
    writer.write(added(now, latest, separator), '')
  }

  while (await before.fill(1) && await after.fill(1)) {
    const [old, now] = [before.at(0)!, after.at(0)!]
    if (old.key === now.key) {
      latest = old
      writer.write(old.cells, old.end)
      before.take(1)
      after.take(1)
    } else {
      const { olds, nows } = await nextChange(before, after)
      const counterparts = paired(olds, nows)
      before.take(olds.length)
      after.take(nows.length)
      for (const old of olds) if (!counterparts.includes(old)) lost.add(old)
      for (const [index, now] of nows.entries()) write(now, counterparts[index])
      latest = olds.at(-1) ?? latest
    }
    yield * writer.written()
  }
  // Nobody sees empty rows at the end.
  while (await before.fill(1)) {
    const old = before.at(0)!
    if (old.key === '') writer.write(old.cells, old.end)
    else lost.add(old)
    before.take(1)
    yield * writer.written()
  }
  for (let empty = 0; await after.fill(1);) {
    const now = after.at(0)!
    if (now.key === '') {
      empty++
    } else {
      for (; empty > 0; empty--) writer.write([''], '')
      write(now, undefined)
    }
    after.take(1)
    yield * writer.written()
  }
  yield * writer.end(before.hasFinalEnd())
}

// ---- Reading

interface Reader {
  /** Reads ahead. Resolves to whether there is a row. */
  fill (rows: number): Promise<boolean>
  at (index: number): ComparedRow | undefined
  /** A row that was read ahead. */
  find (key: string): ComparedRow | undefined
  take (rows: number): void
  /** Whether the last row that was read has a line end. */
  hasFinalEnd (): boolean
}

/** `isPadded`: each row has an empty cell more than its document. */
function createReader (texts: AsyncIterator<string>, separator: string, meaning: Meaning, isPadded = false): Reader {
  let rows: ComparedRow[] = []
  let first = 0
  let characters = 0
  let rest = ''
  let isDone = false
  let finalEnd = ''

  async function read (): Promise<void> {
    const { done = false, value = '' } = await texts.next()
    isDone = done
    const complete = rowsOf(rest + value, separator, { isLast: isDone })
    if (complete.isOpen) throw new NotRestorable('a quotation mark is not closed')
    if (complete.rest.length > MAX_ROW) throw new NotRestorable('a row is too long')
    rest = complete.rest
    rows = rows.slice(first)
    first = 0
    for (const { cells, end } of complete.rows) {
      rows.push(compared({ cells: isPadded && cells.length > 1 && cells.at(-1) === '' ? cells.slice(0, -1) : cells, end }, meaning))
      finalEnd = end
    }
    characters += value.length
  }

  return {
    async fill (count) {
      while (!isDone && rows.length - first < count && (rows.length === first || characters < MAX_LOOKAHEAD)) await read()
      return rows.length > first
    },
    at: index => rows[first + index],
    find: key => rows.slice(first, first + REACHES.at(-1)!).find(row => row.key === key),
    take (count) {
      first = Math.min(first + count, rows.length)
      if (first === rows.length) characters = 0
    },
    hasFinalEnd: () => finalEnd !== ''
  }
}

/** Finds out how the document server has written the file: by its format, or as an older one with the stored separator. */
async function readerOfSaved (texts: AsyncIterator<string>, before: Reader, storedSeparator: string): Promise<Reader> {
  let sample = ''
  let isWhole = false
  while (sample.length < SAMPLE && !isWhole) {
    const { done = false, value = '' } = await texts.next()
    isWhole = done
    sample += value
  }
  await before.fill(SAMPLE_ROWS)
  const stored = Array.from({ length: SAMPLE_ROWS }, (_, index) => before.at(index)).filter(row => row !== undefined)
  const keys = new Set(stored.map(({ key }) => key))
  const candidates = [...new Set([...SAVED_SEPARATORS, storedSeparator])].map(separator => {
    const { rows } = rowsOf(sample, separator, { isLast: isWhole })
    return { separator, rows, alike: rows.slice(0, SAMPLE_ROWS).filter(row => keys.has(compared(row, asSaved).key)).length }
  })
  const { separator, rows } = candidates.reduce((best, other) => other.alike > best.alike ? other : best)
  const endEmpty = (row: Row) => row.cells.length > 1 && row.cells.at(-1) === ''
  const isPadded = rows.length > 0 && rows.every(endEmpty) && !stored.every(endEmpty)
  return createReader(prefixed(sample, texts), separator, asSaved, isPadded)
}

async function * prefixed (text: string, texts: AsyncIterator<string>): AsyncGenerator<string> {
  for (let next: IteratorResult<string> = { value: text }; next.done !== true; next = await texts.next()) yield next.value
}

async function * texts (bytes: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  for await (const chunk of bytes) yield decoded(() => decoder.decode(chunk, { stream: true }))
  yield decoded(() => decoder.decode())

  function decoded (decode: () => string): string {
    let text
    try {
      text = decode()
    } catch (cause) {
      throw new NotRestorable(`it is not ${encoding}`, { cause })
    }
    if (text.includes('\0')) throw new NotRestorable('it is not text')
    return text
  }
}

async function * unreadableIs (stored: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield * stored
  } catch (cause) {
    throw new NotRestorable('the stored file cannot be read', { cause })
  }
}

// ---- Comparing

const DIGITS = 15
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
/** As the document server writes a number. Any other has been typed as text. */
const SAVED_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?(?:e[+-]?\d+)?$/i

/** What becomes of a cell's text in the editor. */
type Meaning = (value: string) => string

function compared ({ cells, end }: Row, meaning: Meaning): ComparedRow {
  const values = cells.map(cell => meaning(valueOf(cell)).replace(/\r\n?/g, '\n'))
  return { cells, end, values, key: values.slice(0, values.findLastIndex(value => value !== '') + 1).join('\0') }
}

/** The editor's numbers have 15 digits, its truth values are in upper case. */
const asOpened: Meaning = value => NUMBER.test(value) ? numberIn(value) : /^(?:true|false)$/i.test(value) ? value.toUpperCase() : value

const asSaved: Meaning = value => SAVED_NUMBER.test(value) ? numberIn(value) : value

function numberIn (text: string): string {
  const number = text.length <= DIGITS ? Number(text) : Number(Number(text).toPrecision(DIGITS))
  return Number.isFinite(number) ? String(number) : text
}

/** The rows up to the next one that has not changed. Without one in reach, as many of both. */
async function nextChange (before: Reader, after: Reader): Promise<{ readonly olds: ComparedRow[], readonly nows: ComparedRow[] }> {
  let olds: ComparedRow[] = []
  let nows: ComparedRow[] = []
  for (const reach of REACHES) {
    await Promise.all([before.fill(reach), after.fill(reach)])
    olds = ahead(before, reach)
    nows = ahead(after, reach)
    const indexes = new Map(olds.map(({ key }, index) => [key, index] as const).reverse())
    let best: readonly [number, number] | undefined
    for (const [index, { key }] of nows.entries()) {
      const inOlds = key === '' ? undefined : indexes.get(key)
      if (inOlds !== undefined && (best === undefined || inOlds + index < best[0] + best[1])) best = [inOlds, index]
    }
    if (best) return { olds: olds.slice(0, best[0]), nows: nows.slice(0, best[1]) }
  }
  const isEnd = olds.length < REACHES.at(-1)! && nows.length < REACHES.at(-1)!
  if (isEnd) return { olds: withoutEmptyEnd(olds), nows: withoutEmptyEnd(nows) }
  const count = Math.min(olds.length, nows.length)
  return { olds: olds.slice(0, count), nows: nows.slice(0, count) }
}

function withoutEmptyEnd (rows: readonly ComparedRow[]): ComparedRow[] {
  return rows.slice(0, rows.findLastIndex(({ key }) => key !== '') + 1)
}

function ahead (reader: Reader, rows: number): ComparedRow[] {
  return Array.from({ length: rows }, (_, index) => reader.at(index)).filter(row => row !== undefined)
}

/** For each changed row the stored one that it probably was. */
function paired (olds: readonly ComparedRow[], nows: readonly ComparedRow[]): ReadonlyArray<ComparedRow | undefined> {
  if (olds.length === nows.length || olds.length * cellsOf(nows) > MAX_COMPARED) return nows.map((_, index) => olds[index])
  let from = 0
  return nows.map(now => {
    const index = olds.findIndex((old, index) => index >= from && 2 * alike(old, now) >= Math.max(old.values.length, now.values.length))
    if (index < 0) return undefined
    from = index + 1
    return olds[index]
  })
}

function cellsOf (rows: readonly ComparedRow[]): number {
  return rows.reduce((sum, { cells }) => sum + cells.length, 0)
}

/** Whether a row has any content of another one. */
function shareCells (old: ComparedRow, now: ComparedRow): boolean {
  return alike(old, now) > 0
}

/** How many cells with content are the same: at the same place, or counted from the beginning and from the end. */
function alike ({ values: old }: ComparedRow, { values: now }: ComparedRow): number {
  const same = (value: string, other: string | undefined) => value !== '' && value === other
  if (old.length === now.length) return now.filter((value, index) => same(value, old[index])).length
  const { fromStart, fromEnd } = commonCells(old, now)
  return now.filter((value, index) => value !== '' && (index < fromStart || index >= now.length - fromEnd)).length
}

function commonCells (old: readonly string[], now: readonly string[]): { readonly fromStart: number, readonly fromEnd: number } {
  const most = Math.min(old.length, now.length)
  let fromStart = 0
  while (fromStart < most && old[fromStart] === now[fromStart]) fromStart++
  let fromEnd = 0
  while (fromEnd < most - fromStart && old.at(-1 - fromEnd) === now.at(-1 - fromEnd)) fromEnd++
  return { fromStart, fromEnd }
}

/** Stored rows without a counterpart so far: they may appear further below. */
function createLost (onUnmatched: () => void) {
  const rows = new Map<string, ComparedRow>()
  const newKeys = new Set<string>()
  let characters = 0
  return {
    add (row: ComparedRow): void {
      if (row.key === '') return
      if (newKeys.has(row.key)) onUnmatched() // it was moved up
      if (hasRoomFor(row.key)) rows.set(row.key, row)
    },
    find: (key: string) => key === '' ? undefined : rows.get(key),
    noteNew (key: string): void {
      if (hasRoomFor(key)) newKeys.add(key)
    }
  }

  function hasRoomFor (key: string): boolean {
    characters += key.length
    if (characters > MAX_LOST) onUnmatched()
    return characters <= MAX_LOST
  }
}

// ---- Writing

/** A changed row: cells without a change keep their text. */
function merged (old: ComparedRow, now: ComparedRow, separator: string): string[] {
  const count = withoutPadding(now.values, old.values.length)
  const values = now.values.slice(0, count)
  const written = (index: number, old: string | undefined) => cellOf(valueOf(now.cells[index]!), separator, old)
  // Empty cells at the end may be left out.
  if (values.length <= old.values.length && old.values.slice(values.length).every(value => value === '')) {
    return old.cells.map((cell, index) => index >= values.length || values[index] === old.values[index] ? cell : written(index, cell))
  }
  const { fromStart, fromEnd } = commonCells(old.values, values)
  return values.map((_, index) => {
    if (index < fromStart) return old.cells[index]!
    const isAtEnd = index >= values.length - fromEnd
    return isAtEnd ? old.cells[old.cells.length - values.length + index]! : written(index, undefined)
  })
}

/** A row that is new, written as the stored one before it. */
function added (now: ComparedRow, latest: Row | undefined, separator: string): string[] {
  const count = withoutPadding(now.values, latest?.cells.length ?? Infinity)
  return now.cells.slice(0, count).map((cell, index) => cellOf(valueOf(cell), separator, latest?.cells[index]))
}

/** How many cells a row has without empty ones behind the usual number. */
function withoutPadding (values: readonly string[], usual: number): number {
  let count = values.length
  while (count > usual && values[count - 1] === '') count--
  return count
}

function createWriter (dialect: Dialect, usualEnd: string) {
  const { separator } = dialect
  const encode = encoderOf(dialect.encoding)
  let text = ''
  /** Of the row before, which is not written until there is another one. */
  let end = ''

  function encoded (): Buffer {
    const bytes = encode(text)
    if (!bytes) throw new NotRestorable(`${dialect.encoding} does not have all of its characters`)
    text = ''
    return bytes
  }

  return {
    /** `rowEnd`: `''` for the usual one. */
    write (cells: readonly string[], rowEnd: string): void {
      if (rowEnd !== '') usualEnd = rowEnd
      text += end + cells.join(separator)
      end = rowEnd || usualEnd
    },
    * written (): Generator<Buffer> {
      if (text.length >= WRITTEN_AT_ONCE) yield encoded()
    },
    * end (hasFinalEnd: boolean): Generator<Buffer> {
      if (hasFinalEnd) text += end
      yield encoded()
    }
  }
}
