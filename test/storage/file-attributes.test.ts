import { chmod, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { fileStorage } from '../../lib/storage/file-storage.js'

const windows = process.platform === 'win32' && 'Windows has no permission bits'

t.test('a replaced file keeps its permissions, whatever the umask, also in another format', { skip: windows }, async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const storage = fileStorage({ directory })
  const umask = process.umask(0o077)
  t.teardown(() => process.umask(umask))
  let name = 'a.docx'
  for (const mode of [0o600, 0o664, 0o666, 0o440]) {
    await chmod(join(directory, name), mode)
    await storage.replace('a', Buffer.from('new'))
    t.equal((await stat(join(directory, name))).mode & 0o7777, mode, mode.toString(8))
    const extension = name === 'a.docx' ? 'odt' : 'docx'
    await storage.replace('a', Buffer.from('newer'), { extension })
    name = `a.${extension}`
    t.equal((await stat(join(directory, name))).mode & 0o7777, mode, `${mode.toString(8)} in another format`)
  }
})

t.test('the revision tells an overwritten or touched file from the one before', async t => {
  const directory = t.testdir({ 'a.docx': 'one' })
  const path = join(directory, 'a.docx')
  const storage = fileStorage({ directory })
  const revisions = new Set([(await storage.stat('a'))?.revision])
  await writeFile(path, 'longer')
  revisions.add((await storage.stat('a'))?.revision)
  await utimes(path, 1, 1)
  revisions.add((await storage.stat('a'))?.revision)
  t.equal(revisions.size, 3)
})

t.test('files written in the same moment have times of their own', async t => {
  const directory = t.testdir()
  const storage = fileStorage({ directory })
  const infos = await Promise.all(Array.from({ length: 40 }, () => storage.create('txt', Buffer.from('x'))))
  const times = await Promise.all(infos.map(async ({ fileId }) => (await stat(join(directory, `${fileId}.txt`), { bigint: true })).mtimeNs))
  t.equal(new Set(times).size, 40)
})

t.test('a time far ahead does not spread to other files', async t => {
  const directory = t.testdir({ 'a.docx': 'one', 'a.odt': 'two', 'b.docx': 'three' })
  await utimes(join(directory, 'a.docx'), 4_000_000_000, 4_000_000_000)
  const storage = fileStorage({ directory })
  t.ok((await storage.replace('a', Buffer.from('new'), { extension: 'txt' }))!.modifiedAt.getTime() >= 4_000_000_000_000)
  t.ok((await storage.replace('b', Buffer.from('new')))!.modifiedAt.getTime() < 4_000_000_000_000)
  t.equal(await readFile(join(directory, 'a.txt'), 'utf8'), 'new')
})
