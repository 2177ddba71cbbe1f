const SEPARATORS = [',', ';', '\t', '|']
const LOOKED_AT = 64 * 1024
/** This many take about 100 MB of memory. */
const MAX_FIELDS = 1_000_000
/** Longer fields can't be read in a cell. */
const MAX_FIELD_CHARACTERS = 1_000_000

/**
 * The values of a text with separated fields, row by row. Without a separator the likely one is used. Throws a
 * `RangeError` if there are too many fields or a field is too long.
 */
export function separatedRows (source: string, given?: string): string[][] {
  // Excel's way to specify the separator.
  const named = /^sep=(.)\r?\n/i.exec(source)
  return rowsOf(
    source.slice(named?.[0].length ?? 0),
    given ?? named?.[1] ?? likelySeparator(source.slice(0, LOOKED_AT))
  )
}

/** As a field between commas, or others. */
export function quoted (value: string, separator = ','): string {
  return /["\r\n]/.test(value) || value.includes(separator) ? `"${value.replaceAll('"', '""')}"` : value
}

/** A quotation mark is special only at the beginning of a field. Without a closing one the field extends to the end. */
function rowsOf (text: string, separator: string): string[][] {
  const rows: string[][] = []
  const stop = new RegExp(`\r\n|\n|\r|${separator.replace(/[|\\^$.*+?()[\]{}]/g, '\\$&')}`, 'g')
  let fields: string[] = []
  let [at, count] = [0, 0]
  while (at < text.length) {
    if (++count > MAX_FIELDS) throw new RangeError('it has too many fields')
    let from = at
    if (text[at] === '"') from = endOfQuotes(text, at)
    stop.lastIndex = from
    const found = stop.exec(text)
    const end = found?.index ?? text.length
    if (end - at > MAX_FIELD_CHARACTERS) throw new RangeError('it has a field that is too long')
    fields.push(valueOf(text.slice(at, end)))
    at = found === null ? text.length : stop.lastIndex
    if (found?.[0] === separator && at < text.length) continue
    if (found?.[0] === separator) fields.push('')
    rows.push(fields)
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

function valueOf (field: string): string {
  if (!field.startsWith('"')) return field
  const end = endOfQuotes(field, 0)
  const inner = field.slice(1, field[end - 1] === '"' && end > 1 ? end - 1 : end)
  return inner.replaceAll('""', '"') + field.slice(end)
}

/** The separator with which most rows have the same number of fields, and more than one. */
function likelySeparator (text: string): string {
  const scores = SEPARATORS.map(separator => {
    const counts = rowsOf(text, separator).slice(0, 50).map(fields => fields.length)
    const usual = counts.filter(count => count === counts[0]).length / Math.max(counts.length, 1)
    return (counts[0] ?? 1) > 1 ? usual + Math.min(counts[0]!, 50) / 100 : 0
  })
  return SEPARATORS[scores.indexOf(Math.max(...scores))]!
}
