import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { fileStorage } from '../../lib/index.js'
import { hook, ioError, OWN_FOLDER } from '../kit/storage.js'

/** However old: the clocks of file systems are coarse. */
const ANY_AGE = -60_000

async function scene (t: Test) {
  const directory = t.testdir({ 'a.docx': 'first' })
  const storage = fileStorage({ directory })
  await storage.versions.keep('a', (await storage.stat('a'))!.revision, { changes: Buffer.from('changes') })
  await storage.replace('a', Buffer.from('second'))
  await storage.state.set('a', { format: 1 }, null)
  const ownFiles = async () =>
    (await readdir(join(directory, OWN_FOLDER), { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())
  return {
    directory,
    path: join(directory, 'a.docx'),
    storage,
    ownFiles,
    ownNames: async () => (await ownFiles()).map(({ name }) => name).sort(),
    /** Where the record is. */
    folder: async () => (await ownFiles()).find(({ name }) => name === '1')!.parentPath
  }
}

t.test('what no record names is removed after a day, and nothing else', async t => {
  const { storage, ownNames, folder, directory } = await scene(t)
  const named = await ownNames()
  await storage.stage('a', (async function * () { yield Buffer.from('staged, and left by a crash') })())
  await storage.stage('a/../b', (async function * () { yield Buffer.from('of a malformed fileId') })())
  await writeFile(join(await folder(), '~0'), 'half a record')
  t.match(await storage.sweep(), { files: 0, documents: 0 }, 'younger than a day')
  t.match(await storage.sweep({ olderThan: ANY_AGE }), { files: 3, documents: 0 })
  t.strictSame(await ownNames(), named)
  t.equal((await storage.versions.list('a')).length, 1)
  t.equal((await readdir(join(directory, OWN_FOLDER), { recursive: true })).length, named.length + 3, 'no empty folder but one of two digits')
})

t.test('versions that were removed are gone after a day, whether or not the document is changed again', async t => {
  const { storage, ownNames } = await scene(t)
  await storage.versions.remove('a', [1])
  t.ok((await ownNames()).some(name => name.endsWith('.kept')), 'somebody may be reading it')
  await storage.sweep({ olderThan: ANY_AGE })
  t.notOk((await ownNames()).some(name => name.endsWith('.kept')))
})

t.test('the record of a document whose file is missing is removed after 30 days; until then, it may come back', async t => {
  const { storage, path, ownNames } = await scene(t)
  await rename(path, `${path}.away`)
  t.match(await storage.sweep(), { documents: 0 })
  t.match(await storage.sweep(), { documents: 0 }, 'missing since just now')
  await rename(`${path}.away`, path)
  t.equal((await storage.versions.list('a')).length, 1)
  t.match((await storage.snapshot('a')).record, { value: { format: 1 } })
  t.match(await storage.sweep({ missingFor: ANY_AGE }), { documents: 0 }, 'it is back')

  await rm(path)
  t.match(await storage.sweep({ missingFor: ANY_AGE }), { documents: 0 }, 'noted')
  t.match(await storage.sweep({ missingFor: ANY_AGE }), { documents: 1 })
  await storage.sweep({ olderThan: ANY_AGE })
  t.strictSame(await ownNames(), [])
  await writeFile(path, 'anew')
  t.strictSame(await storage.versions.list('a'), [])
})

t.test('nothing is removed of a document whose record a newer version of this library has written, or is damaged', async t => {
  for (const [from, to] of [['"value":{"format":1', '"value":{"format":2'], ['{"format":1', '{"format":2'], ['{"format":1', '']] as const) {
    const { storage, path, ownNames, folder } = await scene(t)
    await rm(path)
    const generation = join(await folder(), (await ownNames()).filter(name => /^\d+$/.test(name)).at(-1)!)
    await writeFile(generation, (await readFile(generation, 'utf8')).replace(from, to))
    const before = (await ownNames()).filter(name => name.endsWith('.kept'))
    for (let sweeps = 0; sweeps < 3; sweeps++) await storage.sweep({ olderThan: ANY_AGE, missingFor: ANY_AGE })
    t.strictSame((await ownNames()).filter(name => name.endsWith('.kept')), before)
    t.equal(before.length, 1)
  }
})

t.test('a start finishes a save that a process has left between the record and the file, for programs that only read files', async t => {
  const { storage, path, directory } = await scene(t)
  const ended = new Promise<void>(resolve => {
    hook(t, {
      name: 'rename',
      isMeant: (_from, to) => to === path,
      async instead () {
        resolve()
        return await new Promise(() => {})
      }
    })
  })
  storage.replace('a', Buffer.from('third')).catch(() => {})
  await ended
  await fileStorage({ directory }).sweep()
  t.equal(await readFile(path, 'utf8'), 'third')
})

t.test('a folder that cannot be swept holds up no other, and a sweep can be ended', async t => {
  const { storage, ownFiles } = await scene(t)
  await storage.create('docx', Buffer.from('b'), { fileId: 'b' })
  for (const fileId of ['a', 'b']) await storage.stage(fileId, (async function * () { yield Buffer.from('left') })())
  const before = (await ownFiles()).length
  hook(t, { name: 'rm', isMeant: path => String(path).includes(OWN_FOLDER), instead: async () => { throw ioError() } })
  t.match(await storage.sweep({ olderThan: ANY_AGE }), { files: 1 })
  t.match(await storage.sweep({ olderThan: ANY_AGE }), { files: 1 })
  t.equal((await ownFiles()).length, before - 2)
  await t.rejects(storage.sweep({ signal: AbortSignal.abort(new Error('ended')) }), { message: 'ended' })
  await t.rejects(storage.sweep({ olderThan: '1' as unknown as number }), { code: 'FST_EDITOR_INVALID_OPTION' })
})

t.test('what is in the folder of the records and is no record does no harm and stays', async t => {
  const { storage, directory } = await scene(t)
  const odd = ['.DS_Store', 'lost+found/0', '00', 'ff/file', 'ff/folder/1', `ee/${'0'.repeat(32)}`].map(path => join(directory, OWN_FOLDER, path))
  for (const path of odd) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, 'torn')
  }
  await storage.sweep({ olderThan: ANY_AGE, missingFor: ANY_AGE })
  for (const path of odd) t.equal(await readFile(path, 'utf8'), 'torn')
  const listed: string[] = []
  for await (const { fileId } of storage.state.list()) listed.push(fileId)
  t.strictSame(listed, ['a'])
})

t.test('documents are stored again after a program has removed the folder of the records', async t => {
  const { storage, path, directory } = await scene(t)
  await rm(join(directory, OWN_FOLDER), { recursive: true })
  await storage.replace('a', Buffer.from('third'))
  t.equal(await readFile(path, 'utf8'), 'third')
  await rm(join(directory, OWN_FOLDER), { recursive: true })
  t.ok(await storage.state.set('a', 'a record', null))
  t.ok(await storage.versions.keep('a', (await storage.stat('a'))!.revision))
})
