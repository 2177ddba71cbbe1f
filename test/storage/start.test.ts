import { chmod, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { InvalidOptionError } from '../../lib/errors.js'
import { fileStorage } from '../../lib/index.js'
import { asOrdinaryUser, namesIn, OWN_FOLDER } from '../kit/storage.js'

t.test('the directory and its parents are created at start, without a document', async t => {
  const directory = join(t.testdir(), 'App_Data', 'uploads')
  const storage = fileStorage({ directory })
  await t.rejects(stat(directory), { code: 'ENOENT' }, 'not before')
  await Promise.all([storage.ready(), storage.ready()])
  t.same(await namesIn(directory), [])
})

t.test('without start the first operation creates the directory', async t => {
  const directory = join(t.testdir(), 'uploads')
  t.equal(await fileStorage({ directory }).stat('a'), null)
  t.ok((await stat(directory)).isDirectory())
})

t.test('a directory that cannot be used is reported with the reason and tried again later', async t => {
  const root = t.testdir({ taken: 'a file' })
  for (const directory of [join(root, 'taken'), join(root, 'taken', 'below')]) {
    const storage = fileStorage({ directory })
    for (const attempt of [storage.ready(), storage.stat('a'), storage.create('docx', Buffer.from('x')), storage.replace('a', Buffer.from('x'))]) {
      const error: Error = await attempt.then(() => t.fail('must reject'), error => error)
      t.type(error, InvalidOptionError)
      t.match(error.message, /^Option storage needs a writable directory: E(EXIST|NOTDIR): /)
      t.notMatch(error.message, '\n')
      t.match(error.cause, { code: /EEXIST|ENOTDIR/ })
    }
  }
  const storage = fileStorage({ directory: join(root, 'taken') })
  await t.rejects(storage.ready())
  await rm(join(root, 'taken'))
  await storage.ready()
})

t.test('a directory without write permission is refused at start', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  await chmod(directory, 0o555)
  await asOrdinaryUser(() => t.rejects(fileStorage({ directory }).ready(), {
    code: 'FST_EDITOR_INVALID_OPTION', message: /needs a writable directory: EACCES/
  }))
  await chmod(directory, 0o755)
})

t.test('a folder for records without write permission is refused at start', async t => {
  const directory = t.testdir({ 'a.docx': 'old', [OWN_FOLDER]: {} })
  await chmod(directory, 0o777)
  await chmod(join(directory, OWN_FOLDER), 0o555)
  await asOrdinaryUser(() => t.rejects(fileStorage({ directory }).ready(), {
    code: 'FST_EDITOR_INVALID_OPTION', message: /needs a writable directory: EACCES/
  }))
  await chmod(join(directory, OWN_FOLDER), 0o777)
  await fileStorage({ directory }).ready()
})

t.test('a file in place of the folder for records is refused at start', async t => {
  const directory = t.testdir({ 'a.docx': 'old', [OWN_FOLDER]: 'a file' })
  await t.rejects(fileStorage({ directory }).ready(), { code: 'FST_EDITOR_INVALID_OPTION', message: /needs a writable directory: E(EXIST|NOTDIR)/ })
})

t.test('a directory that disappears later causes an error and does not count as an empty storage', async t => {
  const directory = t.testdir({ uploads: { 'a.docx': 'a' } })
  const storage = fileStorage({ directory: join(directory, 'uploads') })
  t.ok(await storage.stat('a'))
  await rm(join(directory, 'uploads'), { recursive: true })
  await t.rejects(storage.stat('a'), { code: 'ENOENT' })
  await t.rejects(storage.replace('a', Buffer.from('x')), { code: 'ENOENT' })
})

t.test('a relative directory is resolved when the storage is created', async t => {
  const directory = t.testdir({ one: {}, two: {} })
  const before = process.cwd()
  t.teardown(() => process.chdir(before))
  process.chdir(join(directory, 'one'))
  const storage = fileStorage({ directory: 'uploads' })
  process.chdir(join(directory, 'two'))
  await storage.ready()
  t.same(await readdir(join(directory, 'one')), ['uploads'])
})

t.test('an invalid path is refused when the storage is created', async t => {
  for (const directory of ['', undefined, null, 1, {}, 'a\0b']) {
    t.throws(() => fileStorage({ directory } as { directory: string }), { code: 'FST_EDITOR_INVALID_OPTION' })
  }
  t.throws(() => (fileStorage as () => unknown)(), { code: 'FST_EDITOR_INVALID_OPTION' })
})

t.test('an invalid extension is refused and the content is left alone', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const storage = fileStorage({ directory })
  for (const fileType of ['', '.', 'a/b', '../x', 'a.b', 'é', 'x'.repeat(17), 'a\0', undefined as unknown as string]) {
    const content = { [Symbol.asyncIterator]: () => { throw new Error('must not be asked for') } }
    await t.rejects(storage.create(fileType, content), { code: 'FST_EDITOR_INVALID_NAME' })
    if (fileType !== undefined) await t.rejects(storage.replace('a', content, { fileType }), { code: 'FST_EDITOR_INVALID_NAME' })
  }
  t.same(await namesIn(directory), ['a.docx'])
  await writeFile(join(directory, 'a.docx'), 'still writable')
})
