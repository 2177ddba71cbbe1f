import { chmod, mkdir, open, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { fileStorage } from '../../lib/index.js'
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
    await t.rejects(storage.replace(fileId, content(), { fileType: 'odt' }), { code: 'ENOSPC' })
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
  for (const fileType of ['odt', 'zzz']) {
    await t.rejects(storage.replace('a', blocks(1), { fileType }), { code: 'EPERM' })
    t.same([await storage.stat('a'), await contentsOf(directory)], before)
  }
}))

t.test('a directory with the new name keeps the old version and leaves no temp file', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const storage = fileStorage({ directory })
  const before = [await storage.stat('a'), await contentsOf(directory)]
  await mkdir(join(directory, 'a.odt'))
  await t.rejects(storage.replace('a', blocks(1), { fileType: 'odt' }), { code: 'FST_EDITOR_NAME_TAKEN' })
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
  for (const attempt of [() => storage.replace('a', failing()), () =>
    storage.replace('a', failing(), { fileType: 'odt' }), () =>
    storage.create('docx', failing())]) {
    t.equal(await attempt().then(() => undefined, error => error), failure)
    t.same([await storage.stat('a'), await contentsOf(directory)], before)
  }
})

for (const code of ['EINVAL', 'ENOTSUP'] as const) {
  t.test(`where directories cannot be flushed (${code}) and times not set (EPERM), as on SMB, one warning tells it and everything is stored`, async t => {
    const directory = t.testdir()
    const warnings: Array<Error & { code?: string }> = []
    const onWarning = (warning: Error) => warnings.push(warning)
    process.on('warning', onWarning)
    t.teardown(() => process.off('warning', onWarning))
    await withoutFlushOrTimes(t, code)

    const storage = fileStorage({ directory })
    const { fileId } = await storage.create('docx', Buffer.from('old'))
    const revisions = new Set([(await storage.stat(fileId))!.revision])
    for (const [text, options] of [['one', {}], ['two', { fileType: 'odt' }], ['six', { fileType: 'docx' }]] as const) {
      revisions.add((await storage.replace(fileId, Buffer.from(text), options))!.revision)
      t.equal(Buffer.concat(await (await storage.read(fileId))!.body.toArray()).toString(), text)
    }
    t.equal(revisions.size, 4)
    t.ok(await storage.state.set(fileId, { text: 'record' }, null))
    t.ok(await storage.versions.keep(fileId, (await storage.stat(fileId))!.revision))
    t.equal(await storage.remove(fileId), true)
    await setImmediate()
    t.strictSame(warnings.map(({ code, message }) => [code, message]), [['FST_EDITOR_FILE_SYSTEM',
      `The file system of ${directory} cannot set the time of a file: two saves at the same moment may look the same, and cannot flush a directory: a power failure may undo the latest saves`
    ]])
  })
}

t.test('a directory that fails to be flushed (EIO) is no such file system', async t => {
  await withoutFlushOrTimes(t, 'EIO')
  const directory = t.testdir()
  const message = `Option storage needs a writable directory: EIO: no such operation, in ${directory}`
  await t.rejects(fileStorage({ directory }).ready(), { code: 'FST_EDITOR_INVALID_OPTION', message })
})

/** Until the end of the test, flushing a directory fails with this code, and setting the time of a file with EPERM. */
async function withoutFlushOrTimes (t: Test, code: string): Promise<void> {
  const handle = await open(import.meta.filename)
  const prototype = Object.getPrototypeOf(handle)
  await handle.close()
  const { sync, utimes } = prototype
  t.teardown(() => Object.assign(prototype, { sync, utimes }))
  Object.assign(prototype, {
    async sync (this: typeof handle) {
      if ((await this.stat()).isDirectory()) throw Object.assign(new Error(`${code}: no such operation`), { code })
      return await sync.call(this)
    },
    async utimes () { throw Object.assign(new Error('EPERM: not permitted'), { code: 'EPERM' }) }
  })
}
