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
  const stop = separator.replace(/[|\\^$.*+?()[\]{}-]/g, '\\$&')
  const field = new RegExp(`(?:"([^"]*(?:""[^"]*)*)(?:"|$))?([^\r\n${stop}]*)(${stop}|\r\n|\n|\r|$)`, 'y')
  const rows: string[][] = []
  let fields: string[] = []
  for (let count = 1; field.lastIndex < text.length; count++) {
    if (count > MAX_FIELDS) throw new RangeError('it has too many fields')
    const [whole, inner = '', rest, end] = field.exec(text)!
    if (whole.length > MAX_FIELD_CHARACTERS) throw new RangeError('it has a field that is too long')
    fields.push(inner.replaceAll('""', '"') + rest)
    const isLast = field.lastIndex === text.length
    if (end === separator && !isLast) continue
    if (end === separator) fields.push('')
    rows.push(fields)
    fields = []
  }
  return rows
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
