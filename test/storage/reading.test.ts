import { once } from 'node:events'
import fs, { truncateSync, writeFileSync } from 'node:fs'
import { open, readdir, readlink, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { fileStorage } from '../../lib/index.js'

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

/** Runs a task after each read of a file in this process, before its caller learns of it. */
async function afterEachRead (t: Test, task: (reads: number) => void): Promise<void> {
  const handle = await open(import.meta.filename)
  const methods = Object.getPrototypeOf(handle) as typeof handle
  await handle.close()
  const { read } = methods
  t.teardown(() => { methods.read = read })
  let reads = 0
  methods.read = async function (this: unknown, ...args: unknown[]) {
    const result = await Reflect.apply(read, this, args)
    task(++reads)
    return result
  } as typeof read
}

t.test('a small file that another program writes to while it is read is read again', async t => {
  for (const change of [(path: string) => writeFileSync(path, 'new'), (path: string) =>
    writeFileSync(path, 'newer, and longer'), (path: string) =>
    truncateSync(path)]) {
    const directory = t.testdir({ 'a.docx': 'old' })
    const path = join(directory, 'a.docx')
    const storage = fileStorage({ directory })
    await storage.ready()
    await delay(20) // else both contents may have the same time
    await afterEachRead(t, reads => { if (reads === 1) change(path) })
    const { info, body } = (await storage.read('a'))!
    t.strictSame(info, await storage.stat('a'))
    t.equal(await text(body), fs.readFileSync(path, 'utf8'))
  }
})

t.test('a small file that is written to during every read, or becomes shorter, is an error, not a missing file', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const storage = fileStorage({ directory })
  await storage.ready()
  let size = 5000
  await afterEachRead(t, () => writeFileSync(join(directory, 'a.docx'), 'x'.repeat(size--)))
  await t.rejects(storage.read('a'), { code: 'FST_EDITOR_STORAGE', message: /changes faster than it can be read/ })
})

t.test('a directory behind a symbolic link: another file of the document is noticed', async t => {
  const root = t.testdir({ uploads: { 'a.docx': 'old' } })
  const directory = join(root, 'link')
  await symlink('uploads', directory)
  const storage = fileStorage({ directory })
  for (let round = 0; round < 3; round++) {
    t.equal(await text((await storage.read('a'))!.body), 'old')
    await delay(80) // longer than the granularity of the directory's time
  }
  await writeFile(join(root, 'uploads', 'a.odt'), 'newer')
  while (await text((await storage.read('a'))!.body) !== 'newer') await delay(10)
})
