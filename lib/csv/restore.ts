import { setImmediate } from 'node:timers/promises'
import {
  cellOf,
  createRowTable,
  type Dialect,
  encoderOf,
  markOf,
  type Row,
  rowsOf,
  type RowTable,
  separatorOf,
  valueOf
} from './rows.js'

/** A saved CSV file cannot be written in the dialect of the stored one. The message says why, without content. */
export class NotRestorable extends Error {}

interface Restoring {
  /** In UTF-8, as the document server has written it. */
  readonly saved: AsyncIterable<Uint8Array>
  /** Reads the stored file, which is read twice. */
  readonly stored: () => AsyncIterable<Uint8Array>
  /** Of the stored file. */
  readonly dialect: Dialect
  /** Called if text of stored cells could not be kept. */
  readonly onUnmatched: () => void
}

/** A row with what its cells say, in the form in which they are compared. */
interface ComparedRow extends Row {
  readonly values: readonly string[]
  /** The same for rows that look alike in the editor. `''` of a row without content. */
  readonly key: string
  /** Whether the editor shows another text than the file has. */
  readonly hasText: boolean
}

/** Characters. A longer row would need too much memory. */
const MAX_ROW = 1024 ** 2
/** A spreadsheet has no more. */
const MAX_CELLS = 16_384
/** Characters of the rows that are looked at in one file. */
const MAX_LOOKAHEAD = 2 * 1024 ** 2
/** Rows that are looked at for the next one that has not changed: most changes are small. */
const REACHES = [4, 32, 256]
/** Rows in a row that are the same, to tell where the file goes on after rows were inserted or removed. */
const SURE_ROWS = 3
/** Characters of rows that are found again wherever they were moved. */
const MAX_TEXT = 1024 ** 2
/** Rows and characters that show how the document server has written the file. */
const SAMPLE_ROWS = 20
const SAMPLE = 16 * 1024
const SAVED_SEPARATORS = [',', ';', '\t']
/** Characters. A row that is not complete yet is looked at again with each further part. */
const READ_AT_ONCE = 64 * 1024
const WRITTEN_AT_ONCE = 64 * 1024

/**
 * Writes a saved CSV file in the dialect of the stored one. A row or a cell keeps its text if it looks in the editor as
 * it did, and it is certain which one it is; any other is written as the document server sent it. Where rows look alike
 * and are written differently, and rows were inserted, removed or moved, nothing is certain. Throws `NotRestorable`,
 * possibly after some of the bytes. Source: docs/document-server-protocol.md#csv-files
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

  /** `old`: the row that was at its place. */
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
  // Nobody sees empty rows at the end.
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

/** What is known of a stored file before it is compared. */
interface Known extends Pick<RowTable, 'rows' | 'has' | 'isAmbiguous'> {
  /** The row that looks so and is written in another way. */
  find(key: string): ComparedRow | undefined
  /** Whether `find` knows all of them. */
  isComplete(): boolean
}

async function survey (reader: Reader): Promise<Known> {
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
    find: (key: string) => table.isAmbiguous(key) ? undefined : rows.get(key),
    isComplete: () => characters <= MAX_TEXT
  })
}

// ---- Reading

interface Reader {
  /** Reads ahead. Resolves to whether there is a row. */
  fill(rows: number): Promise<boolean>
  at(index: number): ComparedRow | undefined
  take(rows: number): void
  /** Whether the last row that was read has a line end. */
  hasFinalEnd(): boolean
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
    for (const { cells, end } of complete.rows) {
      rows.push(
        compared(
          { cells: isPadded && cells.length > 1 && cells.at(-1) === '' ? cells.slice(0, -1) : cells, end },
          meaning
        )
      )
      finalEnd = end
    }
    characters += value.length
  }

  return {
    async fill (count) {
      while (!isDone && rows.length - first < count && (rows.length === first || characters < MAX_LOOKAHEAD)) {
        await read()
      }
      return rows.length > first
    },
    at: index => rows[first + index],
    take (count) {
      first = Math.min(first + count, rows.length)
      if (first === rows.length) characters = 0
    },
    hasFinalEnd: () => finalEnd !== ''
  }
}

const endsEmpty = (row: Row) => row.cells.length > 1 && row.cells.at(-1) === ''

/** Whether the rows of a stored file have an empty cell at the end themselves. */
async function startsPadded (before: Reader): Promise<boolean> {
  await before.fill(SAMPLE_ROWS)
  return ahead(before, SAMPLE_ROWS).every(endsEmpty)
}

/**
 * Finds out how the document server has written the file: by its format, or as an older one with the stored separator.
 */
async function readerOfSaved (
  texts: AsyncIterator<string>,
  known: Known,
  storedSeparator: string,
  isStoredPadded: boolean
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
/** What becomes of a cell's text in the editor. */
type Meaning = (value: string) => string

function compared ({ cells, end }: Row, meaning: Meaning): ComparedRow {
  if (cells.length > MAX_CELLS) throw new NotRestorable('a row has too many cells')
  const texts = cells.map(cell => valueOf(cell).replace(/\r\n?/g, '\n'))
  const values = texts.map(meaning)
  const key = values.slice(0, values.findLastIndex(value => value !== '') + 1).join('\0')
  return { cells, end, values, key, hasText: values.some((value, index) => value !== texts[index]) }
}

/** The editor's numbers have 15 digits, its truth values are in upper case. */
const asOpened: Meaning = value =>
  NUMBER.test(value) ? numberIn(value) : /^(?:true|false)$/i.test(value) ? value.toUpperCase() : value

/** What is not written as the editor's numbers are has been typed as text. */
const asSaved: Meaning = value => value

function numberIn (text: string): string {
  const number = text.length <= DIGITS ? Number(text) : Number(Number(text).toPrecision(DIGITS))
  return Number.isFinite(number) ? String(number) : text
}

/**
 * Rows that have become others. `isInPlace`: as many, and each is what became of the one at its place, if they are
 * alike.
 */
interface Change {
  readonly olds: readonly ComparedRow[]
  readonly nows: readonly ComparedRow[]
  readonly isInPlace: boolean
}

/** How many of the rows that were read are the same. */
function sameRows (before: Reader, after: Reader): number {
  let count = 0
  for (;;) {
    const old = before.at(count)
    if (!old || old.key !== after.at(count)?.key) return count
    count++
  }
}

/** The rows up to the next one that has not changed. */
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
    if (isEnd) return asChange(withoutEmptyEnd(olds), withoutEmptyEnd(nows))
  }
  const count = Math.min(olds.length, nows.length)
  return { olds: olds.slice(0, count), nows: nows.slice(0, count), isInPlace: false }
}

/** The last rows of both. */
function asChange (olds: readonly ComparedRow[], nows: readonly ComparedRow[]): Change {
  return { olds, nows, isInPlace: olds.length === nows.length }
}

/** Where both go on alike after rows were inserted or removed: for some rows, or to the end. */
function shiftIn (
  olds: readonly ComparedRow[],
  nows: readonly ComparedRow[],
  isEnd: boolean
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
 * Whether at least half of the cells with content are the same: at the same place, or if there are more or fewer, from
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
 * A changed row: cells without a change keep their text. `isLossy`: a text is gone, but what the editor shows of it is
 * elsewhere.
 */
function merged (
  old: ComparedRow,
  now: ComparedRow,
  separator: string
): { readonly cells: string[], readonly isLossy: boolean } {
  const values = now.values.slice(0, withoutPadding(now.values, old.values.length))
  const written = (index: number, model: string | undefined) => cellOf(valueOf(now.cells[index]!), separator, model)
  const isPart = values.length <= old.values.length && old.values.slice(values.length).every(value => value === '')
  // Empty cells at the end may be left out.
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

/** Where the cells of a row were before columns were added or removed; `undefined` where that is not certain. */
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
