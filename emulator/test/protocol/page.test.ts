import { access, readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import { groups } from '../recordings/groups.js'
import { recordingNames } from '../recordings/recording.js'
import { addressesIn, labelsIn, PAGE, readPage, type Row, titlesIn } from './page.js'

// Holds docs/document-server-protocol.md true.

const FOLDER = new URL('./', import.meta.url)
const ROOT = new URL('../../../', import.meta.url)
const CODE = ['lib/', 'types/', 'emulator/lib/', 'emulator/types/']
const NOT_RECORDED = ['observed', 'source code', 'documentation']
const AS_RECORDED = 'as recorded'
const PLAYED: readonly string[] = Object.values(groups).flat()

const page = await readPage()

const sourcesOf = ({ cells }: Row): string[] => cells.source?.split(', ') ?? []
const recordingOf = (source: string): string | undefined => /^\[([\w-]+)\]$/.exec(source)?.[1]
const testOf = ({ cells }: Row): { file?: string, words?: string } => /^\[(?<file>[^\]]+)\] (?<words>.+)$/.exec(cells.test ?? '')?.groups ?? {}

async function titlesOf (file: string): Promise<string[]> {
  return titlesIn(await readFile(new URL(file, FOLDER), 'utf8').catch(() => ''))
}

t.test('every row can be parsed, and no statement is repeated', async t => {
  t.ok(page.rows.length > 250, `${page.rows.length} rows`)
  const isWhole = ({ cells: { statement, source, test } }: Row): boolean =>
    statement === undefined ? source !== undefined || test !== undefined : source !== undefined && test !== undefined
  t.strictSame(page.rows.filter(row => !isWhole(row)).map(({ line }) => line), [], 'rows without a source or a test')
  const statements = page.rows.map(({ statement }) => statement).filter(statement => !/^-?\d+$/.test(statement))
  t.strictSame(statements.filter((statement, index) => statements.indexOf(statement) !== index), [])
})

t.test('every statement has a source: a recording, or a word for how else it is known', async t => {
  const names = recordingNames()
  const isKnown = (source: string) => NOT_RECORDED.includes(source) || names.includes(recordingOf(source) ?? '')
  const sources = page.rows.flatMap(row => sourcesOf(row).map(source => ({ statement: row.statement, source })))
  t.ok(sources.length > 250, `${sources.length} sources`)
  t.strictSame(sources.filter(({ source }) => !isKnown(source)), [])
})

t.test('every recording is the source of a statement', async t => {
  const named = new Set(page.rows.flatMap(sourcesOf).map(recordingOf))
  t.strictSame(recordingNames().filter(name => !named.has(name)), [])
  t.match(page.text, `${recordingNames().length} of the exchanges were recorded`)
})

t.test('every statement names an existing test, or has a recording that is played', async t => {
  const rows = page.rows.filter(({ cells }) => cells.test !== undefined)
  t.ok(rows.length > 200, `${rows.length} statements with a test`)
  const wrong: string[] = []
  for (const row of rows) {
    if (row.cells.test === AS_RECORDED) {
      const isPlayed = sourcesOf(row).some(source => PLAYED.includes(recordingOf(source) ?? ''))
      if (!isPlayed) wrong.push(`${row.statement}: played`)
      continue
    }
    const { file = '', words = '' } = testOf(row)
    const isThere = words !== '' && (await titlesOf(file)).some(title => title.includes(words))
    if (!isThere) wrong.push(`${row.statement}: "${words}" in "${file}"`)
  }
  t.strictSame(wrong, [])
})

t.test('every protocol test is named by a statement', async t => {
  const tests = page.rows.map(testOf)
  const files = (await readdir(FOLDER, { recursive: true })).filter(file => file.endsWith('.ts') && !file.startsWith('page.'))
  t.ok(files.length > 40, 'the tests were found')
  for (const file of files) {
    const words = tests.filter(test => test.file === file).map(test => test.words!)
    const titles = await titlesOf(file)
    t.strictSame(titles.filter(title => !words.some(word => title.includes(word))), [], file)
  }
})

t.test('the contents list the sections, the anchors are headings, and the links lead to files', async t => {
  const anchors = page.headings.map(({ anchor }) => `#${anchor}`)
  t.strictSame(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index), [], 'each heading has an anchor of its own')
  const contents = Array.from(page.text.matchAll(/^- \[(.+)\]\((#.+)\)$/gm), ([, title, anchor]) => ({ title, anchor }))
  t.strictSame(contents, page.headings.filter(({ level }) => level === 2).map(({ title, anchor }) => ({ title, anchor: `#${anchor}` })))

  const labels = new Set(labelsIn(page.text))
  t.strictSame([...labels].filter(label => !page.definitions.has(label)), [], 'labels without a definition')
  t.strictSame([...page.definitions.keys()].filter(label => !labels.has(label)), [], 'definitions that no link uses')
  for (const address of [...addressesIn(page.text), ...page.definitions.values()]) {
    if (address.startsWith('#')) t.ok(anchors.includes(address), address)
    else await t.resolves(access(new URL(address, PAGE)), address)
  }
  for (const [label, address] of page.definitions) {
    const file = label.endsWith('.ts') ? new URL(label, FOLDER) : new URL(`../fixtures/recordings/${label}.json`, FOLDER)
    t.equal(new URL(address, PAGE).href, file.href, label)
  }
})

t.test('the page lists exactly the events that the emulated page raises', async t => {
  const [, sentence = ''] = /It raises ([^]*?), and has the methods/.exec(page.text) ?? []
  const browser = new URL('emulator/lib/page/browser/', ROOT)
  const scripts = await Promise.all(
    (await readdir(browser, { recursive: true })).filter(name => name.endsWith('.js')).map(async name =>
      await readFile(new URL(name, browser), 'utf8')
    )
  )
  const raised = scripts.flatMap(script => Array.from(script.matchAll(/'(on[A-Z]\w+)'/g), ([, event]) => event!))
  t.strictSame(Array.from(sentence.matchAll(/`(\w+)`/g), ([, event]) => event!).sort(), [...new Set(raised)].sort())
})

t.test('code that cites the page names an existing section', async t => {
  const anchors = page.headings.map(({ anchor }) => `#${anchor}`)
  const stale: string[] = []
  let count = 0
  for (const folder of CODE) {
    for (const file of (await readdir(new URL(folder, ROOT), { recursive: true })).filter(name => /\.[jt]s$/.test(name))) {
      const source = await readFile(new URL(`${folder}${file}`, ROOT), 'utf8')
      for (const [cited, anchor = ''] of source.matchAll(/document-server-protocol\.md(#[\w-]+)?/g)) {
        t.ok(anchors.includes(anchor), `${folder}${file}: ${cited}`)
        count++
      }
      if (source.includes('test/emulator')) stale.push(`${folder}${file}`)
    }
  }
  t.ok(count > 0, `${count} citations`)
  t.strictSame(stale, [], 'files that name a folder that no longer exists')
})
