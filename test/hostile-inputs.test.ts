import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { textsIn } from './helpers/titles.js'

/** The numbers of the table of hostile inputs and faults. */
const ROWS = [...range(1, 26), ...range(30, 60), ...range(70, 77), 80, 81, 82, 83, 84]

t.test('every row of the table of hostile inputs has a test whose title carries its number', async t => {
  const directory = fileURLToPath(new URL('.', import.meta.url))
  const files = (await readdir(directory, { recursive: true })).filter(file => file.endsWith('.test.ts'))
  const sources = await Promise.all(files.map(file => readFile(join(directory, file), 'utf8')))
  const numbers = new Set(sources.flatMap(textsIn).flatMap(rowsIn))

  t.strictSame(ROWS.filter(row => !numbers.has(row)), [])
})

/** `row 9: …`, `row 9 (secure): …`, `rows 8 and 36: …` */
function rowsIn (text: string): number[] {
  const [, numbers = ''] = /^rows? ([\d, and]+)/.exec(text) ?? []
  return [...numbers.matchAll(/\d+/g)].map(Number)
}

function range (first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
