import { readFile } from 'node:fs/promises'
import t from 'tap'
import { titlesIn } from './helpers/titles.js'

t.test('every rule of the specification has the test that test/specification.md names', async t => {
  const table = await readFile(new URL('./specification.md', import.meta.url), 'utf8')
  const rows = table.split('\n').filter(line => line.startsWith('| ')).slice(1).map(line => line.slice(2, -2).split(' | '))
  t.ok(rows.length > 40, 'the table was read')

  for (const [rule, , file, words] of rows) {
    const source = await readFile(new URL(`../${file}`, import.meta.url), 'utf8').catch(() => '')
    t.ok(titlesIn(source).some(title => title.includes(words!)), `${rule}: "${words}" in ${file}`)
  }
})
