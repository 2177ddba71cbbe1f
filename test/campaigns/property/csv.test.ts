import fc from 'fast-check'
import t from 'tap'
import { separatedRows } from '../../../emulator/lib/documents/csv/file.js'
import { asServer, startCsv } from '../../kit/editing.js'

// Whatever a file looks like, and whatever it becomes: the stored file says what the document server has sent. RUNS and
// SEED change how much is tried, and what.

type Table = readonly string[][]

const value = fc.oneof(
  fc.constantFrom('', '007', '1.50', 'true', 'False', '1e3', 'x', 'say "hi"', 'two\nlines', ' blank ', 'a;b', 'a,b', 'ä€', '0', '-0.0', "'", '""'),
  fc.string({ maxLength: 6 }).filter(text => !/["\r\n\0\ufeff]/.test(text) && text.isWellFormed()),
  fc.integer().map(String)
)
const table = fc.array(fc.array(value, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 12 })
const dialect = fc.record({
  separator: fc.constantFrom(',', ';', '\t', '|'),
  end: fc.constantFrom('\n', '\r\n', '\r'),
  final: fc.boolean(),
  always: fc.boolean()
})
function written (
  rows: Table,
  { separator, end, final, always }: { separator: string, end: string, final: boolean, always: boolean }
): string {
  const text = rows.map(row =>
    row.map(cell =>
      always || cell.includes(separator) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
    ).join(separator)
  ).join(end)
  return final ? text + end : text
}

/** Without what nobody sees: empty cells at the end of rows, empty rows at the end, and how numbers are written. */
function seen (rows: Table): string[][] {
  const shown = rows.map(row =>
    row.map(cell =>
      /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cell)
        ? String(Number(Number(cell).toPrecision(15)))
        : /^(true|false)$/i.test(cell)
          ? cell.toUpperCase()
          : cell.replace(/\r\n?/g, '\n')
    )
  )
  const cut = shown.map(row => row.slice(0, row.findLastIndex(cell => cell !== '') + 1))
  return cut.slice(0, cut.findLastIndex(row => row.length > 0) + 1)
}

t.setTimeout(300_000 + Number(process.env.RUNS ?? 0) * 50)

t.test('any file, any content', async t => {
  const { save, editing, warnings } = await startCsv(t)
  const separators: Record<number, string> = { 1: '\t', 2: ';', 3: ':', 4: ',' }

  await fc.assert(fc.asyncProperty(table, dialect, table, async (rows, dialect, edited) => {
    const stored = written(rows, dialect)
    if (stored === '') return
    const { fileId } = await editing.storage.create('csv', Buffer.from(stored))
    const { delimiter, delimiterChar } = (await editing.app.editorControl().openDocument(fileId)).config!.document.options as { delimiter?: number, delimiterChar?: string }
    warnings()
    const result = String(await save(stored, asServer(edited)))
    if (warnings().some(text => text.startsWith('a CSV file is stored as the document server'))) {
      if (result !== asServer(edited)) throw new Error(`${JSON.stringify(result)} is not what was sent`)
      return
    }
    const separator = delimiterChar ?? separators[delimiter!]!
    const [actual, expected] = [seen(separatedRows(result, separator)), seen(edited)].map(rows => JSON.stringify(rows))
    if (actual !== expected) throw new Error(`${JSON.stringify(stored)} with ${JSON.stringify(edited)} became ${JSON.stringify(result)}`)
  }), { seed: Number(process.env.SEED ?? 1), numRuns: Number(process.env.RUNS ?? 40) })
})
