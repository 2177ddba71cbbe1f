/** A row as it is written. */
export interface Row {
  /** With their quotation marks. */
  readonly cells: readonly string[]
  /** The line end; `''` after the last row if it has none. */
  readonly end: string
}

const QUOTE = '"'

/**
 * The complete rows of a text, and the rest; all rows if the text `isLast`. A quotation mark is special only at the beginning of a
 * cell. Nothing is lost: the cells with the separators between them and the line ends are the text. `isOpen`: the last cell's
 * quotation mark is not closed.
 */
export function rowsOf (text: string, separator: string, { isLast }: { readonly isLast: boolean }): { readonly rows: Row[], readonly rest: string, readonly isOpen: boolean } {
  const rows: Row[] = []
  let rowStart = 0
  let cells: string[] = []
  for (let at = 0; at < text.length || cells.length > 0;) {
    const [from, isOpen] = text[at] === QUOTE ? afterQuotes(text, at) : [at, false]
    let end = from
    while (end < text.length && !isStop(text, end, separator)) end++
    const isAtEnd = end >= text.length
    // A carriage return may be followed by a line feed in the next part.
    if (!isLast && (isAtEnd || (text[end] === '\r' && end + 1 === text.length))) return { rows, rest: text.slice(rowStart), isOpen: false }
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

/** Whether quotation marks are not closed, or closed before the cell ends: the separator is another one. */
export function isOddlyQuoted (cell: string): boolean {
  if (!cell.startsWith(QUOTE)) return false
  const [end, isOpen] = afterQuotes(cell, 0)
  return isOpen || end < cell.length
}

/** What a cell says. */
export function valueOf (cell: string): string {
  if (!cell.startsWith(QUOTE)) return cell
  const [end] = afterQuotes(cell, 0)
  return cell.slice(1, end - 1).replaceAll('""', QUOTE) + cell.slice(end)
}

/** A cell that says this: in quotation marks if it needs them, or if `model` has some without needing them. */
export function cellOf (value: string, separator: string, model: string | undefined): string {
  const isQuoted = needsQuotes(value, separator) || (model?.startsWith(QUOTE) === true && !needsQuotes(valueOf(model), separator))
  return isQuoted ? `"${value.replaceAll(QUOTE, '""')}"` : value
}

function needsQuotes (value: string, separator: string): boolean {
  return value.includes(separator) || /["\r\n]/.test(value)
}
