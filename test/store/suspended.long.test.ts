import { createHash } from 'node:crypto'
import { link, readdir, rename, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fileStorage } from '../../lib/index.js'
import { type Hook, hook, ioError, OWN_FOLDER } from '../kit/storage.js'
import { deferred } from '../kit/time.js'

// Processes that are suspended or killed between two calls of the file system, while others go on.

/** However old: the clocks of file systems are coarse. */
const ANY_AGE = -60_000

/** A document in a directory that two instances share. */
async function startShared (t: Test, fileType = 'docx') {
  const directory = t.testdir()
  const [first, second] = [fileStorage({ directory }), fileStorage({ directory })]
  await first.create(fileType, Buffer.from('old'), { fileId: 'a' })
  const name = createHash('sha256').update('a').digest('hex')

  return {
    directory,
    folder: join(directory, OWN_FOLDER, name.slice(0, 2), name.slice(2, 34)),
    path: join(directory, `a.${fileType}`),
    first,
    second,
    async save (storage: typeof first, text: string, fileType: string) {
      const { info, record } = await storage.snapshot('a')
      return await storage.commit('a', Buffer.from(text), {
        fileType,
        ifRevision: info!.revision,
        ifRecordVersion: record?.version ?? null,
        record: () => text
      })
    },
    text: async () => Buffer.concat(await (await second.read('a'))!.body.toArray()).toString(),
    names: async () => (await readdir(directory)).filter(name => !name.startsWith('.'))
  }
}

/** Holds the next such call, before it is made, until `goOn` is called. */
function holding (t: Test, name: Hook['name'], isMeant: Hook['isMeant']) {
  const [reached, going] = [deferred(), deferred()]
  hook(t, {
    name,
    isMeant,
    async instead (call) {
      reached.resolve()
      await going.promise
      return await call()
    }
  })
  return { reached: reached.promise, goOn: going.resolve }
}

for (const fileType of ['docx', 'odt']) {
  t.test(`suspended before it publishes, a process publishes nothing that was taken back, ${fileType}`, async t => {
    const { directory, path, first, second, save, text, names } = await startShared(t)
    const { reached, goOn } = holding(t, fileType === 'docx' ? 'rename' : 'link', (_from, to) => to === join(directory, `a.${fileType}`))
    const saving = save(first, 'late', fileType)
    await reached
    await writeFile(path, 'of another program')
    t.equal(await text(), 'of another program')
    t.ok(await save(second, 'newer', 'docx'))
    goOn()
    t.equal(await saving, null)
    t.equal(await text(), 'newer')
    t.strictSame(await names(), ['a.docx'])
    t.match((await first.snapshot('a')).record, { value: 'newer' })
  })
}

t.test('suspended before it removes the file of the old format, a process removes nothing newer', async t => {
  const { path, first, second, save, text, names } = await startShared(t)
  const { reached, goOn } = holding(t, 'rename', from => from === path)
  const saving = save(first, 'converted', 'odt')
  await reached
  t.equal(await text(), 'converted')
  t.ok(await save(second, 'converted back', 'docx'))
  goOn()
  t.ok(await saving)
  t.equal(await text(), 'converted back')
  t.strictSame(await names(), ['a.docx'])
})

t.test('suspended while it removes a document, a process does not remove a document that was made anew', async t => {
  const { path, first, second, text } = await startShared(t)
  const { reached, goOn } = holding(t, 'rename', from => from === path)
  const removing = first.remove('a')
  await reached
  t.equal(await second.stat('a'), null)
  await second.create('docx', Buffer.from('new'), { fileId: 'a' })
  goOn()
  await removing.catch(() => {}) // it is unknown what it has removed
  t.equal(await text(), 'new')
})

t.test('a process is killed after it has moved away what was made anew: the next look gives it back', async t => {
  const { path, first, second, text } = await startShared(t)
  const ended = deferred()
  const { reached, goOn } = holding(t, 'rename', from => from === path)
  first.remove('a').catch(() => {})
  await reached
  t.equal(await second.stat('a'), null)
  await second.create('docx', Buffer.from('new'), { fileId: 'a' })
  hook(t, {
    name: 'lstat',
    isMeant: path => path.endsWith('.taken'),
    async instead () {
      ended.resolve()
      return await new Promise(() => {})
    }
  })
  goOn()
  await ended.promise
  t.equal(await text(), 'new')
})

t.test('a missing document comes back while a sweep is about to remove its record: nothing is removed', async t => {
  const { path, folder, first, second, save, text } = await startShared(t)
  await rename(path, `${path}.away`)
  await first.sweep()
  let looks = 0
  const { reached, goOn } = holding(t, 'stat', path => path === folder && ++looks === 3)
  const sweeping = second.sweep({ missingFor: ANY_AGE })
  await reached
  await rename(`${path}.away`, path)
  t.ok(await save(first, 'saved', 'docx'))
  goOn()
  t.match(await sweeping, { documents: 0 })
  t.equal(await text(), 'saved')
})

for (const call of [1, 2, 3, 4]) {
  t.test(`it comes back after the sweep has looked for the last time, while the directory is listed (${call}): it stays`, async t => {
    const { directory, path, folder, first, second, text } = await startShared(t)
    await rename(path, `${path}.away`)
    await first.sweep()
    let [looks, listings] = [0, 0]
    const { reached, goOn } = holding(t, 'stat', path => {
      if (path === folder) looks++
      return looks >= 3 && path === directory && ++listings === call
    })
    const sweeping = second.sweep({ missingFor: ANY_AGE })
    await reached
    await rename(`${path}.away`, path)
    goOn()
    await sweeping
    t.equal(await text(), 'old')
  })
}

t.test('a listing that lacks a content that was placed meanwhile: the save is finished all the same', async t => {
  const { path, first, save, text } = await startShared(t)
  const { reached } = holding(t, 'rename', (_from, to) => to === path)
  save(first, 'saved', 'docx').catch(() => {})
  await reached
  hook(t, {
    name: 'readdir',
    isMeant: () => true,
    instead: async call => (await call() as string[]).filter(name => /^\d+$/.test(name))
  })
  t.equal(await text(), 'saved')
})

t.test('a save that a killed process has recorded is published only when its record is on the disk', async t => {
  const { path, folder, first, second, save, text } = await startShared(t)
  const { reached } = holding(t, 'rename', (_from, to) => to === path)
  save(first, 'saved', 'docx').catch(() => {})
  await reached
  hook(t, {
    name: 'open',
    isMeant: path => path === folder,
    async instead () {
      throw ioError()
    }
  })
  await t.rejects(second.stat('a'), { code: 'EIO' })
  t.equal(await text(), 'saved')
})

t.test('the record of a document that was removed and made anew is not taken for the one before', async t => {
  const directory = t.testdir()
  const [first, second] = [fileStorage({ directory }), fileStorage({ directory })]
  const version = await first.state.set('a', 'old', null)
  await second.remove('a')
  await second.sweep({ olderThan: ANY_AGE })
  await second.state.set('a', 'new', null)
  t.equal(await first.state.set('a', 'late', version), null)
  t.match((await second.snapshot('a')).record, { value: 'new' })
})

t.test('another program puts a content back that had been replaced: a version of it stays', async t => {
  const { directory, folder, path, first, second } = await startShared(t)
  await link(path, join(directory, '.backup'))
  for (let step = 0; step < 10; step++) await first.replace('a', Buffer.from(`step ${step}`))
  await rename(join(directory, '.backup'), path)
  await first.versions.keep('a', (await first.stat('a'))!.revision)
  const inAnHour = Date.now() / 1000 + 3600
  const newest = Math.max(...(await readdir(folder)).filter(name => /^\d+$/.test(name)).map(Number))
  await utimes(join(folder, String(newest)), inAnHour, inAnHour)
  await second.replace('a', Buffer.from('newer'))
  await second.sweep()
  t.ok(await second.versions.read('a', 1))
})
