import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import { titlesIn } from '../../../test/helpers/titles.js'

const FOLDER = new URL('./', import.meta.url)

async function rows (): Promise<string[][]> {
  const table = await readFile(new URL('../../../docs/document-server-protocol.md', import.meta.url), 'utf8')
  return table.split('\n').filter(line => /^\| (?!statement \|)/.test(line)).map(line => line.slice(2, -2).split(' | '))
}

async function titlesOf (file: string): Promise<string[]> {
  return titlesIn(await readFile(new URL(file, FOLDER), 'utf8').catch(() => ''))
}

t.test('every statement in docs/document-server-protocol.md has the test that it names', async t => {
  const statements = (await rows()).filter(row => row.length === 3)
  t.ok(statements.length > 140, 'the tables were read')
  for (const [statement, file, words] of statements) {
    t.ok(words !== '' && (await titlesOf(file!)).some(title => title.includes(words!)), `${statement}: "${words}" in ${file}`)
  }
})

t.test('every statement stands there once, and what is not emulated has a reason', async t => {
  const all = await rows()
  t.strictSame(all.filter(row => row.length !== 3 && row.length !== 2), [], 'rows that can be read')
  t.ok(all.some(([, reason]) => reason !== undefined && !reason.endsWith('.ts')))
  const statements = all.map(([statement]) => statement)
  t.strictSame(statements.filter((statement, index) => statements.indexOf(statement) !== index), [])
})

t.test('every test of a statement is named in docs/document-server-protocol.md', async t => {
  const named = await rows()
  const files = (await readdir(FOLDER, { recursive: true })).filter(file => /\/.*\.ts$/.test(file))
  t.ok(files.length > 20, 'the tests were found')
  for (const file of files) {
    const words = named.filter(([, name]) => name === file).map(row => row[2]!)
    for (const title of await titlesOf(file)) t.ok(words.some(word => title.includes(word)), `${file}: ${title}`)
  }
})

t.test('every test of a folder is run by the file that is named as the folder', async t => {
  for (const folder of (await readdir(FOLDER, { withFileTypes: true })).filter(entry => entry.isDirectory())) {
    const runner = await readFile(new URL(`${folder.name}.test.ts`, FOLDER), 'utf8')
    const run = Array.from(runner.matchAll(/^import '\.\/(.+)\.js'$/gm), ([, file]) => `${file}.ts`)
    const files = await readdir(new URL(`${folder.name}/`, FOLDER))
    t.strictSame(run, files.map(file => `${folder.name}/${file}`).sort())
  }
})
