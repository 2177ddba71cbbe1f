import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import t from 'tap'
import { MARK, startEditing } from '../kit/editing.js'
import { after, before, parts, sent } from './large.js'

t.setTimeout(600_000)

const expected = createHash('sha256')
for (const part of parts(after)) expected.update(part)
const digest = expected.digest('hex')

t.test('a CSV file of 50 MB is saved in the dialect of the stored one', async t => {
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
  t.equal(await editing.post({ key, status: 2, filetype: 'csv', url: editing.url }, fileId), 0)
  const actual = createHash('sha256')
  for await (const chunk of (await editing.storage.read(fileId))!.body) actual.update(chunk as Buffer)
  t.equal(actual.digest('hex'), digest)
})

t.test('it is rewritten in a process that has less memory than the file', async t => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--max-old-space-size=40', '--import', './scripts/typescript/register.js', 'test/csv/large-file.ts'
  ], { env: { ...process.env, NODE_OPTIONS: '' } })
  t.equal(stdout.trim(), digest)
})
