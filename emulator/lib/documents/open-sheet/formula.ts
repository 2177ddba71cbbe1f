const TOKEN = /"(?:[^"]|"")*"|#[A-Z0-9/]+[!?]?|\[((?:'(?:[^']|'')*'|[^'\]])*)\]|[;~!]/gi
const CELLS = /^(?:\$?('(?:[^']|'')*'|[^'.:]+))?\.([^.:]+)(?::(?:\$?('(?:[^']|'')*'|[^'.:]+))?\.([^.:]+))?$/
const OPERATORS: Readonly<Record<string, string>> = { ';': ',', '~': ',', '!': ' ' }

/** `of:=SUM([.A1:.B2];[$Sheet2.C3])` as in .xlsx: `SUM(A1:B2,'Sheet2'!C3)`. */
export function plainFormula (formula: string): string {
  return formula.replace(/^(?:[\w.-]+:)?=?/, '').replace(TOKEN, (token, cells?: string) => {
    return cells === undefined ? OPERATORS[token] ?? token : plainCells(cells) ?? token
  })
}

/** A cell or range of this file; `undefined` for what is none. */
export function plainCells (cells: string): string | undefined {
  const found = CELLS.exec(cells)
  if (found === null) return undefined
  const [, sheet, from, otherSheet = sheet, to] = found
  if (otherSheet !== sheet) return undefined
  const quoted = sheet === undefined ? '' : `${sheet.startsWith("'") ? sheet : `'${sheet}'`}!`
  return `${quoted}${from}${to === undefined ? '' : `:${to}`}`
}
