import { chmod, mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { fileStorage } from '../../lib/storage/file-storage.js'
import { asOrdinaryUser, contentsOf, onSmallDisk, runCommand, withImmutableFile } from '../kit/storage.js'

const KIB = 1024

async function * blocks (count: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) yield Buffer.alloc(KIB, 'n')
}

t.test('a full disk (ENOSPC) keeps the old version and leaves no temp file', t => onSmallDisk(t, async directory => {
  const storage = fileStorage({ directory })
  const { fileId } = await storage.create('docx', Buffer.alloc(100 * KIB, 'o'))
  const before = [await contentsOf(directory), await storage.stat(fileId)]

  for (const content of [() => blocks(300), () => Buffer.alloc(300 * KIB)]) {
    await t.rejects(storage.replace(fileId, content()), { code: 'ENOSPC' })
    await t.rejects(storage.replace(fileId, content(), { extension: 'odt' }), { code: 'ENOSPC' })
    await t.rejects(storage.create('docx', content()), { code: 'ENOSPC' })
    t.same([await contentsOf(directory), await storage.stat(fileId)], before)
  }
  t.equal((await storage.replace(fileId, blocks(120)))?.size, 120 * KIB, 'content within the limit is stored')
}))

t.test('a disk that became read-only (EROFS) keeps the old version, which can still be read', t => onSmallDisk(t, async directory => {
  const storage = fileStorage({ directory })
  const { fileId } = await storage.create('docx', Buffer.from('old'))
  const before = [await contentsOf(directory), await storage.stat(fileId)]
  runCommand(['mount', '-o', 'remount,ro', directory])

  await t.rejects(storage.replace(fileId, blocks(1)), { code: 'EROFS' })
  await t.rejects(storage.create('docx', blocks(1)), { code: 'EROFS' })
  await t.rejects(storage.remove(fileId), { code: 'EROFS' })
  t.same([await contentsOf(directory), await storage.stat(fileId)], before)
  t.equal(Buffer.concat(await (await storage.read(fileId))!.body.toArray()).toString(), 'old')
  await t.rejects(fileStorage({ directory }).ready(), { code: 'FST_EDITOR_INVALID_OPTION', message: /EROFS/ })
}))

t.test('a directory that became inaccessible (EACCES) keeps the old version', async t => {
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

t.test('a failed rename (EPERM) keeps the old version and leaves no temp file', t => withImmutableFile(t, 'a.docx', async directory => {
  const storage = fileStorage({ directory })
  const before = [await storage.stat('a'), await contentsOf(directory)]
  await t.rejects(storage.replace('a', blocks(1)), { code: 'EPERM' })
  t.same([await storage.stat('a'), await contentsOf(directory)], before)
}))

t.test('a file of the old format that cannot be removed (EPERM) remains the only one', t => withImmutableFile(t, 'a.docx', async directory => {
  const storage = fileStorage({ directory })
  const before = [await storage.stat('a'), await contentsOf(directory)]
  for (const extension of ['odt', 'zzz']) {
    await t.rejects(storage.replace('a', blocks(1), { extension }), { code: 'EPERM' })
    t.same([await storage.stat('a'), await contentsOf(directory)], before)
  }
}))

t.test('a directory with the new name keeps the old version and leaves no temp file', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const storage = fileStorage({ directory })
  const before = [await storage.stat('a'), await contentsOf(directory)]
  await mkdir(join(directory, 'a.odt'))
  await t.rejects(storage.replace('a', blocks(1), { extension: 'odt' }), { code: 'FST_EDITOR_NAME_TAKEN' })
  await rmdir(join(directory, 'a.odt'))
  t.same([await storage.stat('a'), await contentsOf(directory)], before)
})

t.test('a failing source keeps the old version and leaves no temp file', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const storage = fileStorage({ directory })
  const before = [await storage.stat('a'), await contentsOf(directory)]
  const failure = new Error('the source failed')
  async function * failing () {
    yield * blocks(200)
    throw failure
  }
  for (
    const attempt of [() => storage.replace('a', failing()), () =>
      storage.replace('a', failing(), { extension: 'odt' }), () =>
      storage.create('docx', failing())]
  ) {
    t.equal(await attempt().then(() => undefined, error => error), failure)
    t.same([await storage.stat('a'), await contentsOf(directory)], before)
  }
})
