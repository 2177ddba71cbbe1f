import { lstat, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { fileStorage } from '../../lib/index.js'
import { hook } from '../kit/storage.js'

/** After this long a listing of an unchanged directory is believed. */
const SETTLED_MS = 80

async function extensionOf (storage: ReturnType<typeof fileStorage>, fileId: string): Promise<string | undefined> {
  return (await storage.stat(fileId))?.fileType
}

t.test('a file\'s stem is its name without the last extension', async t => {
  const storage = fileStorage({ directory: t.testdir({ 'a.docx': 'a', 'b.docx.txt': 'b', c: 'no extension', 'd.': 'd', 'e.tar-gz': 'e' }) })
  t.equal(await extensionOf(storage, 'a'), 'docx')
  t.equal(await extensionOf(storage, 'a.docx'), undefined)
  t.equal(await extensionOf(storage, 'b.docx'), 'txt')
  t.equal(await extensionOf(storage, 'b'), undefined)
  for (const id of ['c', 'd', 'e', 'e.tar-gz']) t.equal(await extensionOf(storage, id), undefined, id)
})

t.test('an unknown or upper-case extension is found', async t => {
  const long = 'x'.repeat(16)
  const directory = t.testdir({ 'a.zzz': 'a', 'B.DOCX': 'b', [`c.${long}`]: 'c', [`d.${long}x`]: 'too long' })
  const storage = fileStorage({ directory })
  t.equal(await extensionOf(storage, 'a'), 'zzz')
  t.equal(await extensionOf(storage, 'c'), long)
  t.equal(await extensionOf(storage, 'd'), undefined)
  t.equal(await extensionOf(storage, 'B'), 'docx', 'told in lower case')
  t.equal((await storage.replace('B', Buffer.from('new')))?.fileType, 'docx')
  t.ok(await lstat(join(directory, 'B.DOCX')), 'kept on disk as it was')
  await t.rejects(lstat(join(directory, 'B.docx')), { code: 'ENOENT' })
})

for (const fileType of ['docx', 'zzz']) {
  t.test(`a .${fileType} that another process adds or removes is noticed at once`, async t => {
    const directory = t.testdir()
    const storage = fileStorage({ directory })
    const path = join(directory, `late.${fileType}`)
    for (let round = 0; round < 3; round++) {
      t.equal(await extensionOf(storage, 'late'), undefined)
      await delay(SETTLED_MS * (round % 2))
      t.equal(await extensionOf(storage, 'late'), undefined)
      await writeFile(path, `round ${round}`)
      t.equal((await storage.stat('late'))?.size, 7)
      await delay(SETTLED_MS * (round % 2))
      t.equal((await storage.stat('late'))?.size, 7, 'and found again')
      await rm(path)
    }
    t.equal(await extensionOf(storage, 'late'), undefined)
  })

  t.test(`a .${fileType} that another process overwrites or renames is seen in its current form`, async t => {
    const directory = t.testdir({ [`a.${fileType}`]: 'first' })
    const storage = fileStorage({ directory })
    await storage.ready()
    await delay(SETTLED_MS)
    await storage.stat('a')
    await delay(SETTLED_MS)
    const before = await storage.stat('a')
    await writeFile(join(directory, `a.${fileType}`), 'second one')
    const after = await storage.stat('a')
    t.equal(after?.size, 10)
    t.not(after?.revision, before?.revision)
    await rename(join(directory, `a.${fileType}`), join(directory, 'a.odt'))
    t.equal(await extensionOf(storage, 'a'), 'odt')
  })
}

t.test('a file stored by this process is found at once, whatever its extension', async t => {
  const directory = t.testdir()
  const storage = fileStorage({ directory })
  await storage.ready()
  const { fileId, ...created } = await storage.create('zzz', Buffer.from('new'))
  t.strictSame(await storage.stat(fileId), { fileId, ...created })
  for (const fileType of ['docx', 'yyy', 'www']) {
    const replaced = await storage.replace(fileId, Buffer.from('newer'), { fileType })
    t.strictSame(await storage.stat(fileId), replaced)
  }
  await rename(join(directory, `${fileId}.www`), join(directory, 'moved.www'))
  t.equal(await extensionOf(storage, fileId), undefined)
  t.equal(await extensionOf(storage, 'moved'), 'www')
  await storage.remove('moved')
  t.equal(await extensionOf(storage, 'moved'), undefined)
})

t.test('a closed storage keeps working and can be closed again', async t => {
  const storage = fileStorage({ directory: t.testdir({ 'a.zzz': 'a' }) })
  await storage.close()
  t.equal(await extensionOf(storage, 'a'), 'zzz')
  await storage.close()
  const { fileId } = await storage.create('yyy', Buffer.from('new'))
  t.equal(await extensionOf(storage, fileId), 'yyy')
})

t.test('several files with the same stem', async t => {
  const names = ['a.docx', 'a.odt', 'a.zzz', 'a.yyy', 'a.QQQ']
  const old = 1_600_000_000

  async function directoryOf (t: Test, ages: Record<string, number>) {
    const directory = t.testdir(Object.fromEntries(names.filter(name => name in ages).map(name => [name, name])))
    for (const [name, age] of Object.entries(ages)) await utimes(join(directory, name), old - age, old - age)
    return directory
  }

  t.test('the newest is chosen', async t => {
    t.equal(await extensionOf(fileStorage({ directory: await directoryOf(t, { 'a.docx': 2, 'a.odt': 1 }) }), 'a'), 'odt')
    t.equal(await extensionOf(fileStorage({ directory: await directoryOf(t, { 'a.zzz': 2, 'a.QQQ': 1 }) }), 'a'), 'qqq')
  })

  t.test('of equally old ones the first by name is chosen', async t => {
    t.equal(await extensionOf(fileStorage({ directory: await directoryOf(t, { 'a.odt': 1, 'a.docx': 1 }) }), 'a'), 'docx')
    t.equal(await extensionOf(fileStorage({ directory: await directoryOf(t, { 'a.zzz': 1, 'a.yyy': 1 }) }), 'a'), 'yyy')
  })

  t.test('a known extension is preferred to an unknown one', async t => {
    t.equal(await extensionOf(fileStorage({ directory: await directoryOf(t, { 'a.docx': 5, 'a.zzz': 1 }) }), 'a'), 'docx')
  })

  t.test('a newer one that is added between saves of this process is noticed a moment later', { timeout: 300_000 }, async t => {
    const directory = await directoryOf(t, { 'a.docx': 5 })
    await writeFile(join(directory, 'saved.txt'), 'first')
    const storage = fileStorage({ directory })
    await storage.ready()
    await delay(SETTLED_MS)
    for (let round = 0; round < 5; round++) {
      t.equal(await extensionOf(storage, 'a'), 'docx')
      await storage.replace('saved', Buffer.from(`save ${round}`))
      t.equal(await extensionOf(storage, 'a'), 'docx')
      await delay(SETTLED_MS * (round % 2))
      await writeFile(join(directory, 'a.odt'), 'newer')
      while (await extensionOf(storage, 'a') !== 'odt') await turn()
      await rm(join(directory, 'a.odt'))
    }
  })

  t.test('a newer one that is added at the same moment as this process saves is noticed a moment later', { timeout: 300_000 }, async t => {
    const directory = await directoryOf(t, { 'a.docx': 5 })
    await writeFile(join(directory, 'saved.txt'), 'first')
    const storage = fileStorage({ directory })
    await storage.ready()
    await delay(SETTLED_MS)
    t.equal(await extensionOf(storage, 'a'), 'docx')
    hook(t, {
      name: 'rename',
      isMeant: (_from, to) => to === join(directory, 'saved.txt'),
      async instead (call) {
        await writeFile(join(directory, 'a.odt'), 'newer')
        return await call()
      }
    })
    await storage.replace('saved', Buffer.from('save'))
    while (await extensionOf(storage, 'a') !== 'odt') await turn()
    t.same((await storage.read('a'))?.info.fileType, 'odt')
    await storage.close()
  })

  t.test('the file stored by replace is found, whatever modification times the others have', async t => {
    const directory = await directoryOf(t, { 'a.docx': -2_000_000_000, 'a.odt': -1_900_000_000 })
    const storage = fileStorage({ directory })
    t.equal(await extensionOf(storage, 'a'), 'docx')
    for (const fileType of ['docx', 'txt', 'pdf', 'docx']) {
      const replaced = await storage.replace('a', Buffer.from(fileType), { fileType })
      t.equal(replaced?.fileType, fileType)
      t.same(await storage.stat('a'), replaced, fileType)
    }
  })

  t.test('remove removes all of them', async t => {
    const storage = fileStorage({ directory: await directoryOf(t, { 'a.docx': 5, 'a.odt': 4, 'a.zzz': 1 }) })
    t.equal(await storage.remove('a'), true)
    t.equal(await storage.stat('a'), null)
  })
})
