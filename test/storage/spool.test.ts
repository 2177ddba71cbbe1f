import { readdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import t from 'tap'
import { spool } from '../../lib/store/spool.js'

const NEW = 'saved'

async function * content (): AsyncGenerator<Uint8Array> {
  yield Buffer.from(NEW)
}

t.test('content in the temp directory has no name there, even if its source fails', async t => {
  const directory = t.testdir()
  const { TMPDIR } = process.env
  process.env.TMPDIR = directory
  t.teardown(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })

  const staged = await spool(content())
  t.equal(staged.size, NEW.length)
  t.strictSame(await readdir(directory), [])
  for (let round = 0; round < 2; round++) t.equal(String(Buffer.concat(await Readable.from(staged).toArray())), NEW)
  await staged.discard()
  await staged.discard()
  const failure = new Error('the source failed')
  await t.rejects(spool((async function * () {
    yield Buffer.from('half')
    throw failure
  })()), failure)
  t.strictSame(await readdir(directory), [])
})
