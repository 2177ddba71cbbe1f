import { setImmediate } from 'node:timers/promises'
import {
  cellOf, createRowTable, type Dialect, encoderOf, markOf, type Row, rowsOf, separatorOf, valueOf
} from './rows.js'

/**
 * A saved CSV file cannot be written in the dialect of the stored one. The message gives the reason, without content.
 */
export class NotRestorable extends Error {}

interface Restoring {
  /** The saved file in UTF-8, as the document server has written it. */
  readonly saved: AsyncIterable<Uint8Array>
  /** Reads the stored file. It is called twice. */
  readonly stored: () => AsyncIterable<Uint8Array>
  /** The dialect of the stored file. */
  readonly dialect: Dialect
  /** Called if the text of stored cells could not be kept. */
  readonly onUnmatched: () => void
}

/** A row with the values of its cells, in the form in which they are compared. */
interface ComparedRow extends Row {
  readonly values: readonly string[]
  /** Equal for rows that look alike in the editor; `''` for a row without content. */
  readonly key: string
  /** Whether the editor shows a different text than the file has. */
  readonly hasText: boolean
}

/** Maximum number of characters. A longer row would need too much memory. */
const MAX_ROW = 1024 ** 2
/** A spreadsheet has at most this many. */
const MAX_CELLS = 16_384
/** Maximum number of characters of rows that are read ahead in one file. */
const MAX_LOOKAHEAD = 2 * 1024 ** 2
/** Numbers of rows that are searched for the next unchanged one: most changes are small. */
const REACHES = [4, 32, 256]
/** Number of consecutive equal rows that show where the file continues after rows were inserted or removed. */
const SURE_ROWS = 3
/** Maximum number of characters of rows that are found again wherever they were moved. */
const MAX_TEXT = 1024 ** 2
/** Numbers of rows and characters that show how the document server has written the file. */
const SAMPLE_ROWS = 20
const SAMPLE = 16 * 1024
const SAVED_SEPARATORS = [',', ';', '\t']
/** Number of characters. An incomplete row is examined again with each further part. */
const READ_AT_ONCE = 64 * 1024
const WRITTEN_AT_ONCE = 64 * 1024

/**
 * Writes a saved CSV file in the dialect of the stored one. A row or a cell keeps its text if it looks in the editor as
 * it did and is certainly the same one; any other is written as the document server sent it. If rows look alike but are
 * written differently, and rows were inserted, removed or moved, nothing is certain. Throws `NotRestorable`, possibly
 * after some of the bytes. Source: docs/document-server-protocol.md#csv-files
 */
export async function * restored ({ saved, stored, dialect, onUnmatched }: Restoring): AsyncGenerator<Buffer> {
  const { separator } = dialect
  const read = () => createReader(texts(unreadableIs(stored()), dialect.encoding), separator, asOpened)
  const known = await survey(read())
  const before = read()
  const after = await readerOfSaved(texts(saved, 'utf-8'), known, separator, await startsPadded(before))
  const writer = createWriter(dialect, before.at(0)?.end || '\n')
  let latest: Row | undefined
  let hasMoved = false
  let hasLookAlike = false
  let hasKept = false
  let rows = 0
  yield markOf(dialect)

  function keep (row: ComparedRow): void {
    hasKept ||= row.key !== ''
    hasLookAlike ||= known.isAmbiguous(row.key)
    writer.write(row.cells, row.end)
  }

  /** `old` is the row that was in the same place. */
  function write (now: ComparedRow, old: ComparedRow | undefined): 'kept' | 'sent' {
    const moved = known.find(now.key)
    hasLookAlike ||= known.isAmbiguous(now.key)
    hasKept ||= now.key !== '' && known.has(now.key)
    if (moved) {
      keep(moved)
    } else if (old && !known.has(now.key) && areAlike(old, now)) {
      hasKept = true
      const { cells, isLossy } = merged(old, now, separator)
      if (isLossy) onUnmatched()
      writer.write(cells, old.end)
    } else {
      if (known.has(now.key) && !known.isComplete()) onUnmatched()
      writer.write(added(now, latest, separator), '')
      return 'sent'
    }
    return 'kept'
  }

  function writeChange ({ olds, nows, isInPlace }: Change): void {
    const results = nows.map((now, index) => write(now, isInPlace ? olds[index] : undefined))
    if (results.includes('sent') && olds.some(({ hasText }) => hasText)) onUnmatched()
    hasMoved ||= !isInPlace || results.includes('sent')
    latest = olds.at(-1) ?? latest
  }

  while (await before.fill(1) && await after.fill(1)) {
    const count = sameRows(before, after)
    for (let index = 0; index < count; index++) keep(latest = before.at(index)!)
    before.take(count)
    after.take(count)
    rows += count
    if (count === 0) {
      const change = await nextChange(before, after)
      before.take(change.olds.length)
      after.take(change.nows.length)
      rows += change.nows.length
      writeChange(change)
    }
    yield * writer.written()
  }
  // Empty rows at the end are invisible.
  while (await before.fill(1)) {
    const old = before.at(0)!
    if (old.key === '') writer.write(old.cells, old.end)
    else hasMoved = true
    before.take(1)
    yield * writer.written()
  }
  for (let empty = 0; await after.fill(1);) {
    const now = after.at(0)!
    if (now.key === '') {
      empty++
    } else {
      for (; empty > 0; empty--) writer.write([''], '')
      writeChange({ olds: [], nows: [now], isInPlace: false })
    }
    after.take(1)
    rows++
    yield * writer.written()
  }
  if (hasMoved && hasLookAlike) {
    throw new NotRestorable('rows that look alike in the editor were moved, inserted or removed')
  }
  if (!hasKept && rows > 1 && known.rows > 1) throw new NotRestorable('nothing of the stored file is in it')
  yield * writer.end(before.hasFinalEnd())
}

/** Facts about a stored file that are known before it is compared. */
type Known = Awaited<ReturnType<typeof survey>>

async function survey (reader: Reader) {
  const table = createRowTable()
  const rows = new Map<string, ComparedRow>()
  let characters = 0
  while (await reader.fill(1)) {
    for (let row = reader.at(0); row; row = reader.at(0)) {
      reader.take(1)
      if (row.key === '') continue
      if (!table.add(row.key, row.cells.map(valueOf).join('\0'))) throw new NotRestorable('it has too many rows')
      if (!row.hasText || characters > MAX_TEXT || rows.has(row.key)) continue
      rows.set(row.key, row)
      characters += row.key.length
    }
  }
  return Object.assign(table, {
    /** The row that looks the same but is written differently. */
    find: (key: string): ComparedRow | undefined => table.isAmbiguous(key) ? undefined : rows.get(key),
    /** Whether `find` knows all such rows. */
    isComplete: () => characters <= MAX_TEXT
  })
}

// ---- Reading

type Reader = ReturnType<typeof createReader>

/** `isPadded`: each row has one more empty cell than its document. */
function createReader (texts: AsyncIterator<string>, separator: string, meaning: Meaning, isPadded = false) {
  let rows: ComparedRow[] = []
  let first = 0
  let characters = 0
  let rest = ''
  let isDone = false
  let finalEnd = ''

  async function read (): Promise<void> {
    await setImmediate() // others get a turn: all of the text may be in memory already
    let value = ''
    while (!isDone && value.length < READ_AT_ONCE) {
      const next = await texts.next()
      isDone = next.done === true
      value += next.value ?? ''
    }
    const complete = rowsOf(rest + value, separator, { isLast: isDone })
    if (complete.isOpen) throw new NotRestorable('a quotation mark is not closed')
    if (complete.rest.length > MAX_ROW) throw new NotRestorable('a row is too long')
    rest = complete.rest
    rows = rows.slice(first)
    first = 0
    for (const row of complete.rows) {
      rows.push(compared(isPadded && endsEmpty(row) ? { ...row, cells: row.cells.slice(0, -1) } : row, meaning))
      finalEnd = row.end
    }
    characters += value.length
  }

  return {
    /** Reads ahead. Resolves to whether there is a row. */
    async fill (count: number): Promise<boolean> {
      while (!isDone && rows.length - first < count && (rows.length === first || characters < MAX_LOOKAHEAD)) {
        await read()
      }
      return rows.length > first
    },
    at: (index: number): ComparedRow | undefined => rows[first + index],
    take (count: number): void {
      first = Math.min(first + count, rows.length)
      if (first === rows.length) characters = 0
    },
    /** Whether the last row that was read has a line end. */
    hasFinalEnd: () => finalEnd !== ''
  }
}

const endsEmpty = (row: Row) => row.cells.length > 1 && row.cells.at(-1) === ''

/** Whether the rows of a stored file themselves have an empty cell at the end. */
async function startsPadded (before: Reader): Promise<boolean> {
  await before.fill(SAMPLE_ROWS)
  return ahead(before, SAMPLE_ROWS).every(endsEmpty)
}

/**
 * Finds out how the document server has written the file: by its format, or as an older server does, with the stored
 * separator.
 */
async function readerOfSaved (
  texts: AsyncIterator<string>, known: Known, storedSeparator: string, isStoredPadded: boolean
): Promise<Reader> {
  let sample = ''
  let isWhole = false
  while (sample.length < SAMPLE && !isWhole) {
    const { done = false, value = '' } = await texts.next()
    isWhole = done
    sample += value
  }
  const candidates = [...new Set([...SAVED_SEPARATORS, storedSeparator])].map(separator => {
    const { rows } = rowsOf(sample, separator, { isLast: isWhole })
    const isAlike = (row: Row) =>
      (row.cells.length > 1 || separator === SAVED_SEPARATORS[0]) && known.has(compared(row, asSaved).key)
    return { separator, rows, alike: rows.filter(isAlike).length }
  })
  const guessed = candidates[0]!.rows.every(({ cells }) => cells.length > 1) ? SAVED_SEPARATORS[0] : separatorOf(sample)
  const likely = candidates.find(({ separator }) => separator === guessed) ?? candidates[0]!
  const { separator, rows } = candidates.reduce((best, other) => other.alike > best.alike ? other : best, likely)
  const isPadded = rows.length > 0 && rows.every(endsEmpty) && !isStoredPadded
  return createReader(prefixed(sample, texts), separator, asSaved, isPadded)
}

async function * prefixed (text: string, texts: AsyncIterator<string>): AsyncGenerator<string> {
  for (let next: IteratorResult<string> = { value: text }; next.done !== true; next = await texts.next()) {
    yield next.value
  }
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
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i
/** The text that the editor makes of a cell. */
type Meaning = (value: string) => string

function compared ({ cells, end }: Row, meaning: Meaning): ComparedRow {
  if (cells.length > MAX_CELLS) throw new NotRestorable('a row has too many cells')
  const texts = cells.map(cell => valueOf(cell).replace(/\r\n?/g, '\n'))
  const values = texts.map(meaning)
  const key = values.slice(0, values.findLastIndex(value => value !== '') + 1).join('\0')
  return { cells, end, values, key, hasText: values.some((value, index) => value !== texts[index]) }
}

/** The editor's numbers have 15 digits, and its truth values are in upper case. */
const asOpened: Meaning = value =>
  NUMBER.test(value) ? numberIn(value) : /^(?:true|false)$/i.test(value) ? value.toUpperCase() : value

/** Text that is not written like the editor's numbers was typed as text. */
const asSaved: Meaning = value => value

function numberIn (text: string): string {
  const number = text.length <= DIGITS ? Number(text) : Number(Number(text).toPrecision(DIGITS))
  return Number.isFinite(number) ? String(number) : text
}

/**
 * Rows that were replaced. `isInPlace`: there are as many new rows, and each replaces the one in its place, if they are
 * alike.
 */
interface Change {
  readonly olds: readonly ComparedRow[]
  readonly nows: readonly ComparedRow[]
  readonly isInPlace: boolean
}

/** The number of rows already read that are the same. */
function sameRows (before: Reader, after: Reader): number {
  let count = 0
  for (;;) {
    const old = before.at(count)
    if (!old || old.key !== after.at(count)?.key) return count
    count++
  }
}

/** The rows up to the next unchanged one. */
async function nextChange (before: Reader, after: Reader): Promise<Change> {
  let olds: ComparedRow[] = []
  let nows: ComparedRow[] = []
  for (const reach of REACHES) {
    await Promise.all([before.fill(reach), after.fill(reach)])
    olds = ahead(before, reach)
    nows = ahead(after, reach)
    const edited = olds.findIndex((old, index) => old.key !== '' && old.key === nows[index]?.key)
    const inPlace = { olds: olds.slice(0, edited), nows: nows.slice(0, edited), isInPlace: true }
    if (edited > 0 && inPlace.nows.every((now, index) => areAlike(olds[index]!, now))) return inPlace
    const isEnd = olds.length < reach && nows.length < reach
    const shifted = shiftIn(olds, nows, isEnd)
    if (shifted && (edited < 0 || shifted[0] + shifted[1] < 2 * edited)) {
      return { olds: olds.slice(0, shifted[0]), nows: nows.slice(0, shifted[1]), isInPlace: false }
    }
    if (edited > 0) return inPlace
    if (isEnd) {
      const last = { olds: withoutEmptyEnd(olds), nows: withoutEmptyEnd(nows) }
      return { ...last, isInPlace: last.olds.length === last.nows.length }
    }
  }
  const count = Math.min(olds.length, nows.length)
  return { olds: olds.slice(0, count), nows: nows.slice(0, count), isInPlace: false }
}

/** Where both files continue alike after rows were inserted or removed: for some rows, or to the end. */
function shiftIn (
  olds: readonly ComparedRow[], nows: readonly ComparedRow[], isEnd: boolean
): readonly [number, number] | undefined {
  const places = new Map<string, number[]>()
  for (const [index, { key }] of olds.entries()) {
    if (key !== '') places.set(key, [...places.get(key) ?? [], index].slice(0, SURE_ROWS))
  }
  let best: readonly [number, number] | undefined
  for (const [at, { key }] of nows.entries()) {
    for (const place of places.get(key) ?? []) {
      if (place === at || (best && place + at >= best[0] + best[1])) continue
      let same = 1
      while (same < SURE_ROWS && olds[place + same]?.key === nows[at + same]?.key && olds[place + same]) same++
      const isToEnd = isEnd && place + same === olds.length && at + same === nows.length
      if (same === SURE_ROWS || isToEnd) best = [place, at]
    }
  }
  return best
}

function withoutEmptyEnd (rows: readonly ComparedRow[]): ComparedRow[] {
  return rows.slice(0, rows.findLastIndex(({ key }) => key !== '') + 1)
}

function ahead (reader: Reader, rows: number): ComparedRow[] {
  return Array.from({ length: rows }, (_, index) => reader.at(index)).filter(row => row !== undefined)
}

/**
 * Whether at least half of the cells with content are the same: in the same place, or if their number differs, from
 * either end.
 */
function areAlike ({ values: old }: ComparedRow, { values: now }: ComparedRow): boolean {
  const isSame = old.length === now.length
    ? (value: string, index: number) => value === old[index]
    : (value: string, index: number) => value === old[index] || value === old.at(index - now.length)
  const filled = (values: readonly string[]) => values.filter(value => value !== '').length
  const same = now.filter((value, index) => value !== '' && isSame(value, index)).length
  return same > 0 && 2 * same >= Math.max(filled(old), filled(now))
}

// ---- Writing

/**
 * A changed row, whose unchanged cells keep their text. `isLossy`: a text is lost, although what the editor shows of it
 * is elsewhere.
 */
function merged (old: ComparedRow, now: ComparedRow, separator: string) {
  const values = now.values.slice(0, withoutPadding(now.values, old.values.length))
  const written = (index: number, model: string | undefined) => cellOf(valueOf(now.cells[index]!), separator, model)
  const isPart = values.length <= old.values.length && old.values.slice(values.length).every(value => value === '')
  // Empty cells at the end may be omitted.
  const places = isPart ? values.map((_, index) => index) : placesOf(old, values)
  const cells = values.map((value, index) => {
    const place = places[index]
    return place !== undefined && value === old.values[place]
      ? old.cells[place]!
      : written(index, isPart ? old.cells[index] : undefined)
  })
  const shown = new Set(values)
  const kept = new Set(places.filter((place, index) => place !== undefined && values[index] === old.values[place]))
  const isLossy = old.hasText &&
    old.values.some((value, index) => !kept.has(index) && value !== valueOf(old.cells[index]!) && shown.has(value))
  return { cells: isPart ? [...cells, ...old.cells.slice(values.length)] : cells, isLossy }
}

/**
 * Where the cells of a row were before columns were added or removed; `undefined` for a cell for which that is not
 * certain.
 */
function placesOf ({ values: old, cells }: ComparedRow, now: readonly string[]): ReadonlyArray<number | undefined> {
  const added = now.length - old.length
  const differing = now.findIndex((value, index) => value !== old[index])
  const fromStart = differing < 0 ? now.length : differing
  const fromEnd = now.length - 1 - now.findLastIndex((value, index) => value !== old[index - added])
  return now.map((_, index) => {
    const isFromStart = index < fromStart
    const isFromEnd = index >= now.length - fromEnd
    if (isFromStart && isFromEnd) return cells[index] === cells[index - added] ? index : undefined
    return isFromStart ? index : isFromEnd ? index - added : undefined
  })
}

/** A new row, written like the stored one before it. */
function added (now: ComparedRow, latest: Row | undefined, separator: string): string[] {
  const count = withoutPadding(now.values, latest?.cells.length ?? Infinity)
  return now.cells.slice(0, count).map((cell, index) => cellOf(valueOf(cell), separator, latest?.cells[index]))
}

/** The number of cells of a row without empty ones beyond the usual number. */
function withoutPadding (values: readonly string[], usual: number): number {
  let count = values.length
  while (count > usual && values[count - 1] === '') count--
  return count
}

function createWriter (dialect: Dialect, usualEnd: string) {
  const { separator } = dialect
  const encode = encoderOf(dialect.encoding)
  let text = ''
  /** The line end of the previous row, which is not written until there is another row. */
  let end = ''

  function encoded (): Buffer {
    const bytes = encode(text)
    if (!bytes) throw new NotRestorable(`${dialect.encoding} does not have all of its characters`)
    text = ''
    return bytes
  }

  return {
    /** `rowEnd` is `''` for the usual one. */
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
