import { chmod, mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { fileStorage } from '../../lib/storage/file-storage.js'
import { asOrdinaryUser, contentsOf, onSmallDisk, run, withImmutableFile } from './faults.js'

const KIB = 1024

async function * blocks (count: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) yield Buffer.alloc(KIB, 'n')
}

t.test('row 12: a full disk (ENOSPC) leaves the old version and no remains', t => onSmallDisk(t, async directory => {
  const storage = fileStorage({ directory })
  const { fileId } = await storage.create('docx', Buffer.alloc(100 * KIB, 'o'))
  const before = [await contentsOf(directory), await storage.stat(fileId)]

  for (const content of [() => blocks(300), () => Buffer.alloc(300 * KIB)]) {
    await t.rejects(storage.replace(fileId, content()), { code: 'ENOSPC' })
    await t.rejects(storage.replace(fileId, content(), { extension: 'odt' }), { code: 'ENOSPC' })
    await t.rejects(storage.create('docx', content()), { code: 'ENOSPC' })
    t.same([await contentsOf(directory), await storage.stat(fileId)], before)
  }
  t.equal((await storage.replace(fileId, blocks(120)))?.size, 120 * KIB, 'what fits is stored')
}))

t.test('row 12: a disk that became read-only (EROFS) leaves the old version, which is still read', t => onSmallDisk(t, async directory => {
  const storage = fileStorage({ directory })
  const { fileId } = await storage.create('docx', Buffer.from('old'))
  const before = [await contentsOf(directory), await storage.stat(fileId)]
  run(['mount', '-o', 'remount,ro', directory])

  await t.rejects(storage.replace(fileId, blocks(1)), { code: 'EROFS' })
  await t.rejects(storage.create('docx', blocks(1)), { code: 'EROFS' })
  await t.rejects(storage.remove(fileId), { code: 'EROFS' })
  t.same([await contentsOf(directory), await storage.stat(fileId)], before)
  t.equal(Buffer.concat(await (await storage.read(fileId))!.body.toArray()).toString(), 'old')
  await t.rejects(fileStorage({ directory }).ready(), { code: 'FST_EDITOR_INVALID_OPTION', message: /EROFS/ })
}))

t.test('row 12: a directory that became closed to us (EACCES) leaves the old version', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const storage = fileStorage({ directory })
  const before = [await storage.stat('a'), await contentsOf(directory)]
  await chmod(directory, 0o555)
  await asOrdinaryUser(async () => {
    await t.rejects(storage.replace('a', blocks(1)), { code: 'EACCES' })
    await t.rejects(storage.create('docx', blocks(1)), { code: 'EACCES' })
    await t.rejects(storage.remove('a'), { code: 'EACCES' })
  })
  await chmod(directory, 0o755)
  t.same([await storage.stat('a'), await contentsOf(directory)], before)
})

t.test('row 12: a rename that fails (EPERM) leaves the old version and no remains', t => withImmutableFile(t, 'a.docx', async directory => {
  const storage = fileStorage({ directory })
  const before = [await storage.stat('a'), await contentsOf(directory)]
  await t.rejects(storage.replace('a', blocks(1)), { code: 'EPERM' })
  t.same([await storage.stat('a'), await contentsOf(directory)], before)
}))

t.test('row 12: a file of the old format that cannot be removed (EPERM) stays the only one', t => withImmutableFile(t, 'a.docx', async directory => {
  const storage = fileStorage({ directory })
  const before = [await storage.stat('a'), await contentsOf(directory)]
  for (const extension of ['odt', 'zzz']) {
    await t.rejects(storage.replace('a', blocks(1), { extension }), { code: 'EPERM' })
    t.same([await storage.stat('a'), await contentsOf(directory)], before)
  }
}))

t.test('row 12: a directory that has the new name leaves the old version and no remains', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const storage = fileStorage({ directory })
  const before = [await storage.stat('a'), await contentsOf(directory)]
  await mkdir(join(directory, 'a.odt'))
  await t.rejects(storage.replace('a', blocks(1), { extension: 'odt' }), { code: 'FST_EDITOR_NAME_TAKEN' })
  await rmdir(join(directory, 'a.odt'))
  t.same([await storage.stat('a'), await contentsOf(directory)], before)
})

t.test('row 42: a source that fails leaves the old version and no remains, temp files included', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const storage = fileStorage({ directory })
  const before = [await storage.stat('a'), await contentsOf(directory)]
  const failure = new Error('the source failed')
  async function * failing () {
    yield * blocks(200)
    throw failure
  }
  for (const attempt of [() => storage.replace('a', failing()), () => storage.replace('a', failing(), { extension: 'odt' }), () => storage.create('docx', failing())]) {
    t.equal(await attempt().then(() => undefined, error => error), failure)
    t.same([await storage.stat('a'), await contentsOf(directory)], before)
  }
})
