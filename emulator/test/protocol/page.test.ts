// Holds emulator/docs/document-server-protocol.md true: its sources and tests exist, and it names all of them.
import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import { recordingNames } from '../recordings/recording.js'

const FOLDER = new URL('./', import.meta.url)
const SOURCE = /^(observed|source code|documentation|\[[\w-]+\])(, (observed|source code|documentation|\[[\w-]+\]))*$/
const page = await readFile(new URL('../../docs/document-server-protocol.md', import.meta.url), 'utf8')
const tables = [...page.matchAll(/^\| (.*) \|\n\|-.*\n((?:\|.*\n)+)/gm)].map(([, heads, rows]) =>
  ({ heads: heads!.split(' | '), rows: rows!.trimEnd().split('\n').map(row => row.slice(2, -2).split(' | ')) })
)

/** The cells of all columns with this head. */
function column (name: string): string[] {
  return tables.flatMap(({ heads, rows }) => heads.includes(name) ? rows.map(cells => cells[heads.indexOf(name)] ?? '') : [])
}

/** Of the tests in a file, as they are written: with `${…}` where a template has a value. */
async function titlesOf (file: string): Promise<string[]> {
  const source = await readFile(new URL(file, FOLDER), 'utf8').catch(() => '')
  return [...source.matchAll(/\bt\.test\(\s*(['`])((?:\\.|(?!\1).)*)\1/g)].map(([, , title]) => title!.replaceAll("\\'", "'"))
}

t.test('every statement has a source, and every recording is the source of one', async t => {
  const sources = column('source')
  t.ok(sources.length > 250, `${sources.length} sources`)
  t.strictSame(sources.filter(source => !SOURCE.test(source)), [])
  const named = new Set(sources.flatMap(source => [...source.matchAll(/\[([\w-]+)\]/g)].map(([, name]) => name)))
  t.strictSame([...named].sort(), recordingNames().sort())
})

t.test('every statement names an existing test, and every protocol test is named by a statement', async t => {
  const words = new Map<string, string[]>()
  const wrong: string[] = []
  for (const test of column('test')) {
    const [, file, title] = /^\[([^\]]+)\] (.+)$/.exec(test) ?? []
    if (file !== undefined) words.set(file, [...words.get(file) ?? [], title!])
    else if (test !== 'as recorded') wrong.push(test)
  }
  for (const [file, named] of words) {
    const titles = await titlesOf(file)
    wrong.push(...named.filter(title => !titles.some(one => one.includes(title))).map(title => `${file}: ${title}`))
  }
  for (const file of (await readdir(FOLDER, { recursive: true })).filter(file => /(?<!page)\.test\.ts$/.test(file))) {
    const unnamed = (await titlesOf(file)).filter(title => !words.get(file)?.some(one => title.includes(one)))
    wrong.push(...unnamed.map(title => `not named: ${file}: ${title}`))
  }
  t.strictSame(wrong, [])
})
