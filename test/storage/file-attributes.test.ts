import { chmod, chown, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { fileStorage } from '../../lib/index.js'
import { asOrdinaryUser } from '../kit/storage.js'

const windows = process.platform === 'win32' && 'Windows has no permission bits'
const ordinary = process.getuid?.() !== 0 && 'only root gives files away'

async function attributesOf (path: string) {
  const { uid, gid, mode } = await stat(path)
  return { uid, gid, mode: (mode & 0o7777).toString(8) }
}

t.test('a replaced file keeps its permissions, whatever the umask, in another format too', { skip: windows }, async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const storage = fileStorage({ directory })
  const umask = process.umask(0o077)
  t.teardown(() => process.umask(umask))
  let name = 'a.docx'
  for (const mode of [0o600, 0o664, 0o666, 0o440]) {
    await chmod(join(directory, name), mode)
    await storage.replace('a', Buffer.from('new'))
    t.equal((await stat(join(directory, name))).mode & 0o7777, mode, mode.toString(8))
    const fileType = name === 'a.docx' ? 'odt' : 'docx'
    await storage.replace('a', Buffer.from('newer'), { fileType })
    name = `a.${fileType}`
    t.equal((await stat(join(directory, name))).mode & 0o7777, mode, `${mode.toString(8)} in another format`)
  }
})

t.test('a replaced file keeps its owner and group, in another format too', { skip: ordinary }, async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  await chmod(join(directory, 'a.docx'), 0o640)
  await chown(join(directory, 'a.docx'), 1234, 2345)
  const storage = fileStorage({ directory })
  const attributes = { uid: 1234, gid: 2345, mode: '640' }
  await storage.replace('a', Buffer.from('new'))
  t.strictSame(await attributesOf(join(directory, 'a.docx')), attributes)
  await storage.replace('a', Buffer.from('newer'), { fileType: 'odt' })
  t.strictSame(await attributesOf(join(directory, 'a.odt')), attributes, 'in another format')
})

t.test('a file whose owner changes after a save was staged keeps its new owner', { skip: ordinary }, async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const path = join(directory, 'a.docx')
  const storage = fileStorage({ directory })
  const staged = await storage.stage('a', (async function * () { yield Buffer.from('new') })())
  await chown(path, 1234, 2345)
  await chmod(path, 0o600)
  const { revision: ifRevision } = (await storage.stat('a'))!
  const record = () => { throw new Error('not yet') }
  await t.rejects(storage.commit('a', staged, { ifRevision, ifRecordVersion: null, record }), { message: 'not yet' })
  await chmod(path, 0o664)
  const { revision } = (await storage.stat('a'))!
  t.strictSame(await storage.replace('a', staged, { ifRevision: revision }), await storage.stat('a'), 'the event matches the stored content')
  t.strictSame(await attributesOf(path), { uid: 1234, gid: 2345, mode: '664' })
  t.equal(await readFile(path, 'utf8'), 'new')
})

t.test('without the right to change owners a process still replaces files of other users', { skip: ordinary }, async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  await chmod(directory, 0o777)
  await chmod(join(directory, 'a.docx'), 0o664)
  await asOrdinaryUser(async () => {
    const storage = fileStorage({ directory })
    await storage.replace('a', Buffer.from('new'))
    const { uid, mode } = await attributesOf(join(directory, 'a.docx'))
    t.not(uid, 0)
    t.equal(mode, '664')
    t.equal((await storage.replace('a', Buffer.from('newer'), { fileType: 'odt' }))?.fileType, 'odt')
    await storage.remove('a')
  })
})

t.test('an overwritten or touched file has a new revision', async t => {
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

t.test('files written at the same moment have different modification times', async t => {
  const directory = t.testdir()
  const storage = fileStorage({ directory })
  const infos = await Promise.all(Array.from({ length: 40 }, () => storage.create('txt', Buffer.from('x'))))
  const times = await Promise.all(infos.map(async ({ fileId }) => (await stat(join(directory, `${fileId}.txt`), { bigint: true })).mtimeNs))
  t.equal(new Set(times).size, 40)
})

t.test('each version has a later modification time than all before it, even if the clock stops or goes back', async t => {
  const directory = t.testdir()
  const storage = fileStorage({ directory })
  const { now } = Date
  t.teardown(() => { Date.now = now })
  const start = now()
  const times: bigint[] = []
  for (const time of [start, start, start - 60_000, start]) {
    Date.now = () => time
    const { fileId } = await storage.create('docx', Buffer.from('one'))
    const path = join(directory, `${fileId}.docx`)
    times.push((await stat(path, { bigint: true })).mtimeNs)
    await storage.replace(fileId, Buffer.from('two'))
    times.push((await stat(path, { bigint: true })).mtimeNs)
    await storage.replace(fileId, await storage.stage(fileId, (async function * () { yield Buffer.from('six') })()))
    times.push((await stat(path, { bigint: true })).mtimeNs)
  }
  t.strictSame(times, [...new Set(times)].sort((a, b) => a < b ? -1 : 1))
})

t.test('a modification time far in the future does not affect other files', async t => {
  const directory = t.testdir({ 'a.docx': 'one', 'a.odt': 'two', 'b.docx': 'three' })
  await utimes(join(directory, 'a.docx'), 4_000_000_000, 4_000_000_000)
  const storage = fileStorage({ directory })
  await storage.replace('a', Buffer.from('new'), { fileType: 'txt' })
  t.ok((await stat(join(directory, 'a.txt'))).mtimeMs >= 4_000_000_000_000)
  t.ok((await storage.replace('b', Buffer.from('new')))!.modifiedAt.getTime() < 4_000_000_000_000)
  t.equal(await readFile(join(directory, 'a.txt'), 'utf8'), 'new')
})
