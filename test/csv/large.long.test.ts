import { createHash } from 'node:crypto'
import t from 'tap'
import { startEditing } from '../helpers/editing.js'
import { MARK } from './support.js'

const ROWS = 700_000
const EDITED = 350_000

/** A file of about 50 MB, in parts: what the test itself keeps would be measured, too. */
function * parts (row: (index: number) => string): Generator<Buffer> {
  for (let index = 0; index < ROWS; index += 1000) yield Buffer.from(Array.from({ length: 1000 }, (_, offset) => row(index + offset)).join(''))
}

const stored = (index: number) => `${String(index).padStart(9, '0')};Kunde Nummer ${index}; "x" ;1.50;${index === EDITED ? 'new text' : 'some text that is the same'}\r\n`
const before = (index: number) => stored(index).replace('new text', 'some text that is the same')
const sent = (index: number) => `${index},Kunde Nummer ${index}," ""x"" ",1.5,${index === EDITED ? 'new text' : 'some text that is the same'},\n`

t.test('a CSV file of 50 MB is saved in bounded memory', async t => {
  t.setTimeout(300_000)
  const editing = await startEditing(t, {
    async serve (_request, response) {
      response.writeHead(200, { 'content-type': 'text/csv' }).write(MARK)
      for (const part of parts(sent)) if (!response.write(part)) await new Promise(resolve => response.once('drain', resolve))
      response.end()
    }
  })
  const { fileId, size } = await editing.storage.create('csv', (async function * () { yield * parts(before) })())
  t.ok(size > 45_000_000, `${size} bytes`)
  const key = await editing.openedKey(fileId)

  let highest = 0
  const start = process.memoryUsage().rss
  const timer = setInterval(() => { highest = Math.max(highest, process.memoryUsage().rss) }, 20)
  t.teardown(() => clearInterval(timer))
  t.equal(await editing.post({ key, status: 2, filetype: 'csv', url: editing.url }, fileId), 0)
  clearInterval(timer)
  t.comment(`${Math.round((highest - start) / 1024 ** 2)} MiB more`)
  t.ok(highest - start < 160 * 1024 ** 2, 'less than three times the file')

  const expected = createHash('sha256')
  for (const part of parts(stored)) expected.update(part)
  const actual = createHash('sha256')
  for await (const chunk of (await editing.storage.read(fileId))!.body) actual.update(chunk as Buffer)
  t.equal(actual.digest('hex'), expected.digest('hex'), 'only the edited cell has changed')
})
