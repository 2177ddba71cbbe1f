/** This many take about 100 MB of memory. */
const MAX_FIELDS = 1_000_000
/** Longer fields can't be read in a cell. */
const MAX_FIELD_CHARACTERS = 1_000_000

/**
 * The values of a text with separated fields, row by row. A quotation mark is special only at the beginning of a field.
 * Without a closing one the field extends to the end. Throws a `RangeError` if there are too many fields or a field is
 * too long.
 */
export function separatedRows (text: string, separator = ','): string[][] {
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

/** As a field between commas, or others. */
export function quoted (value: string, separator = ','): string {
  return /["\r\n]/.test(value) || value.includes(separator) ? `"${value.replaceAll('"', '""')}"` : value
}
