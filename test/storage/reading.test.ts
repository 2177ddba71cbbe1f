import { once } from 'node:events'
import { readdir, readlink, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import t from 'tap'
import { fileStorage } from '../../lib/storage/file-storage.js'

const linux = process.platform !== 'linux' && 'open files are counted in /proc'

/** Of documents: a storage that has just started looks through its records, too. */
async function openFiles (directory: string): Promise<number> {
  const targets = await Promise.all((await readdir('/proc/self/fd')).map(async fd => await readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  return targets.filter(target => target.startsWith(directory) && target.endsWith('.docx')).length
}

t.test('200 reads that are abandoned, finished or refused leave no open descriptor', { skip: linux }, async t => {
  const directory = t.testdir({ 'a.docx': 'x'.repeat(300_000), 'empty.docx': '' })
  const storage = fileStorage({ directory })
  await storage.ready()
  const { body } = (await storage.read('a'))!
  t.equal(await openFiles(directory), 1, 'an open one is seen')
  body.destroy()
  await once(body, 'close')
  for (let round = 0; round < 200; round++) {
    const { body } = (await storage.read(round % 10 ? 'a' : 'empty'))!
    const closed = once(body, 'close')
    if (round % 3 === 0) body.read()
    if (round % 3 === 1) body.resume()
    else body.destroy()
    await closed
    await t.rejects(storage.read('a', { start: 0, end: 300_000 }), RangeError)
  }
  t.equal(await openFiles(directory), 0)
})

t.test('an invalid range is a RangeError', async t => {
  const storage = fileStorage({ directory: t.testdir({ 'a.docx': 'ten bytes.' }) })
  for (const range of [{ start: 3, end: 2 }, { start: -1, end: 2 }, { start: 0.5, end: 2 }, { start: 0, end: NaN }, { start: 0, end: Infinity }]) {
    await t.rejects(storage.read('a', range), RangeError)
  }
})

t.test('a file truncated while it is read causes an error, not a short result', async t => {
  const directory = t.testdir({ 'a.docx': 'x'.repeat(500_000) })
  const { body } = (await fileStorage({ directory }).read('a'))!
  await once(body, 'readable')
  await truncate(join(directory, 'a.docx'), 200_000)
  body.resume()
  await t.rejects(finished(body), /truncated while it was read: received \d+ of 500000 bytes/)
})

t.test('a body is read no faster than it is consumed', async t => {
  const directory = t.testdir({ 'a.docx': Buffer.alloc(8_000_000) })
  const { body } = (await fileStorage({ directory }).read('a'))!
  await once(body, 'readable')
  for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve))
  t.ok(body.readableLength <= 256 * 1024, `${body.readableLength} bytes wait`)
  body.destroy()
})
