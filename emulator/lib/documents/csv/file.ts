/** A field as written, with its quotation marks. */
type Field = string

interface Row {
  readonly fields: Field[]
  /** The line end; empty for a last line without one. */
  end: string
}

/** The rows of a text with separated fields. Fields that are not set keep their bytes. */
export interface SeparatedText {
  readonly rows: ReadonlyArray<{ readonly fields: readonly Field[] }>
  get (row: number, column: number): string
  set (row: number, column: number, value: string): void
  text (): string
}

const SEPARATORS = [',', ';', '\t', '|']
const LOOKED_AT = 64 * 1024
/** This many take about 100 MB of memory. */
const MAX_FIELDS = 1_000_000
/** Longer fields can't be read in a cell. */
const MAX_FIELD_CHARACTERS = 1_000_000

/** Rows and columns count from 1. Without a separator the likely one is used. Throws a `RangeError` if there are too many fields or a field is too long. */
export function separatedText (source: string, given?: string): SeparatedText {
  // Excel's way to specify the separator.
  const named = /^sep=(.)\r?\n/i.exec(source)
  const separator = given ?? named?.[1] ?? likelySeparator(source.slice(0, LOOKED_AT))
  const head = named?.[0] ?? ''
  const lineEnd = /\r\n|\n|\r/.exec(source)?.[0] ?? '\n'
  const rows = rowsOf(source.slice(head.length), separator)

  function fieldOf (value: string, before: Field | undefined): Field {
    const needsQuotes = before?.startsWith('"') === true || value.includes(separator) || /["\r\n]/.test(value) || value !== value.trim()
    return needsQuotes ? `"${value.replaceAll('"', '""')}"` : value
  }

  function rowFor (number: number): Row {
    const width = rows[0]?.fields.length ?? 1
    while (rows.length < number) {
      const last = rows.at(-1)
      const end = last === undefined || last.end === '' ? '' : lineEnd
      if (last !== undefined && last.end === '') last.end = lineEnd
      rows.push({ fields: Array<Field>(width).fill(''), end: last === undefined ? lineEnd : end })
    }
    return rows[number - 1]!
  }

  return {
    rows,
    get: (row, column) => valueOf(rows[row - 1]?.fields[column - 1] ?? ''),
    set (row, column, value) {
      const { fields } = rowFor(row)
      while (fields.length < column) fields.push('')
      fields[column - 1] = value === '' ? '' : fieldOf(value, fields[column - 1])
    },
    text: () => head + rows.map(({ fields, end }) => fields.join(separator) + end).join('')
  }
}

/** A quotation mark is special only at the beginning of a field. Without a closing one the field extends to the end. */
function rowsOf (text: string, separator: string): Row[] {
  const rows: Row[] = []
  const stop = new RegExp(`\r\n|\n|\r|${separator.replace(/[|\\^$.*+?()[\]{}]/g, '\\$&')}`, 'g')
  let fields: Field[] = []
  let [at, count] = [0, 0]
  while (at < text.length) {
    if (++count > MAX_FIELDS) throw new RangeError('it has too many fields')
    let from = at
    if (text[at] === '"') from = endOfQuotes(text, at)
    stop.lastIndex = from
    const found = stop.exec(text)
    const end = found?.index ?? text.length
    if (end - at > MAX_FIELD_CHARACTERS) throw new RangeError('it has a field that is too long')
    fields.push(text.slice(at, end))
    at = found === null ? text.length : stop.lastIndex
    if (found?.[0] === separator && at < text.length) continue
    if (found?.[0] === separator) fields.push('')
    rows.push({ fields, end: found === null || found[0] === separator ? '' : found[0] })
    fields = []
  }
  return rows
}

function endOfQuotes (text: string, start: number): number {
  for (let at = start + 1; ; at += 2) {
    at = text.indexOf('"', at)
    if (at === -1) return text.length
    if (text[at + 1] !== '"') return at + 1
  }
}

function valueOf (field: Field): string {
  if (!field.startsWith('"')) return field
  const end = endOfQuotes(field, 0)
  const inner = field.slice(1, field[end - 1] === '"' && end > 1 ? end - 1 : end)
  return inner.replaceAll('""', '"') + field.slice(end)
}

/** The separator with which most rows have the same number of fields, and more than one. */
function likelySeparator (text: string): string {
  const scores = SEPARATORS.map(separator => {
    const counts = rowsOf(text, separator).slice(0, 50).map(({ fields }) => fields.length)
    const usual = counts.filter(count => count === counts[0]).length / Math.max(counts.length, 1)
    return (counts[0] ?? 1) > 1 ? usual + Math.min(counts[0]!, 50) / 100 : 0
  })
  return SEPARATORS[scores.indexOf(Math.max(...scores))]!
}
