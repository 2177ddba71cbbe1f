import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { fileStorage } from '../../lib/index.js'
import { type FileLookup, fileLookup } from '../../lib/store/files/lookup.js'
import { hook } from '../kit/storage.js'
import { stoppedTime } from '../kit/time.js'

/** After this long a listing of an unchanged directory is believed. */
const SETTLED_MS = 80

async function nameOf (files: FileLookup, fileId: string): Promise<string | undefined> {
  return (await files.find(fileId))[0]?.name
}

/** A look-up that has seen the directory settle. */
async function settled (directory: string): Promise<FileLookup> {
  const files = fileLookup(directory)
  await files.find('absent')
  await delay(SETTLED_MS)
  await files.find('absent')
  return files
}

/** Like `hook`, for every call. */
function hookEach (t: Test, each: Parameters<typeof hook>[1]): void {
  hook(t, {
    ...each,
    async instead (call) {
      hookEach(t, each)
      return await each.instead(call)
    }
  })
}

/** Runs something when a listing of the directory begins, or when all its names were read. */
function whileListing (t: Test, directory: string, { begun = () => {}, read = () => {} }): void {
  hookEach(t, {
    name: 'opendir',
    isMeant: path => path === directory,
    async instead (call) {
      begun()
      const names = await call() as AsyncIterable<unknown>
      return (async function * () {
        yield * names
        read()
      })()
    }
  })
}

t.test('an unchanged directory is listed no more, and a changed one again', async t => {
  const directory = t.testdir({ 'a.docx': 'a', 'b.zzz': 'b' })
  const files = await settled(directory)
  let listings = 0
  whileListing(t, directory, { begun: () => { listings++ } })
  for (let round = 0; round < 3; round++) t.strictSame([await nameOf(files, 'a'), await nameOf(files, 'b'), await nameOf(files, 'c')], ['a.docx', 'b.zzz', undefined])
  t.equal(listings, 0)
  await writeFile(join(directory, 'c.yyy'), 'c')
  t.equal(await nameOf(files, 'c'), 'c.yyy')
  t.equal(listings, 1)
})

t.test('while files are added, the directory is listed a tenth of the time, and not for a file of this process', async t => {
  const directory = t.testdir({ 'a.docx': 'a' })
  const files = fileLookup(directory)
  const advance = stoppedTime(t)
  let listings = 0
  whileListing(t, directory, { begun: () => { listings++ }, read: () => advance(10) })
  for (const [fileId, passed, expected] of [['a', 99, 1], ['own', 2, 1], ['a', 0, 2]] as const) {
    await writeFile(join(directory, `${fileId}.docx`), 'new')
    if (fileId === 'own') files.addName('own.docx')
    t.strictSame([await nameOf(files, fileId), listings], [`${fileId}.docx`, expected])
    advance(passed)
  }
})

t.test('a file added within the same tick of the file system clock is found', async t => {
  const tick = 1_600_000_000
  const directory = t.testdir({ 'other.txt': '' })
  await utimes(directory, tick, tick)
  const files = fileLookup(directory)
  t.equal(await nameOf(files, 'late'), undefined)
  // as if no time had passed: what changes the times of a directory changes both
  const before = await stat(directory, { bigint: true })
  hookEach(t, { name: 'stat', isMeant: path => path === directory, instead: async () => before })
  await writeFile(join(directory, 'late.zzz'), 'late')
  t.equal(await nameOf(files, 'late'), 'late.zzz')
})

t.test('a file is found although the program that added it has set the time of the directory back', async t => {
  const directory = t.testdir({ 'a.docx': 'a' })
  const time = new Date('2024-01-01')
  await utimes(directory, time, time)
  const files = await settled(directory)
  await writeFile(join(directory, 'b.docx'), 'b')
  await utimes(directory, time, time)
  t.equal(await nameOf(files, 'b'), 'b.docx')
})

t.test('a name that is added while a listing is past its position is found', async t => {
  const directory = t.testdir({ 'first.txt': '' })
  const files = fileLookup(directory)
  whileListing(t, directory, {
    read () {
      writeFileSync(join(directory, 'late.zzz'), '')
    }
  })
  t.equal(await nameOf(files, 'first'), 'first.txt')
  t.equal(await nameOf(files, 'late'), 'late.zzz')
})

t.test('a file that gets another name while the directory is listed is found', async t => {
  const directory = t.testdir({ 'a.docx': 'a' })
  const files = fileLookup(directory)
  hook(t, {
    name: 'opendir',
    isMeant: path => path === directory,
    async instead () {
      await rename(join(directory, 'a.docx'), join(directory, 'a.odt'))
      return (async function * () {})() // past the new name, not yet at the old one
    }
  })
  t.equal(await nameOf(files, 'a'), 'a.odt')
})

for (const [from, to] of [['docx', 'odt'], ['odt', 'docx'], ['docx', 'zzz'], ['DOC', 'docx']]) {
  t.test(`a document is found at any moment while .${from} becomes .${to}`, async t => {
    const directory = t.testdir()
    let moment = 1
    for (let isMoved = true; isMoved; moment++) {
      const path = (fileType: string) => join(directory, `document-${moment}.${fileType}`)
      const files = await settled(directory)
      await writeFile(path(from!), '')
      isMoved = false
      let calls = 0
      await t.test(`before call ${moment}`, async t => {
        for (const name of ['stat', 'opendir', 'lstat'] as const) {
          hookEach(t, {
            name,
            isMeant: path => String(path).startsWith(directory),
            async instead (call) {
              if (++calls === moment) {
                renameSync(path(from!), path(to!))
                isMoved = true
              }
              return await call()
            }
          })
        }
        t.equal((await files.find(`document-${moment}`)).length, 1)
      })
    }
    t.ok(moment > 3)
  })
}

t.test('where the times of a directory never change, as on exFAT, a warning tells it, and files are found that others add', async t => {
  const directory = t.testdir({ 'a.docx': 'a' })
  const warned = once(process, 'warning')
  hookEach(t, {
    name: 'stat',
    isMeant: path => path === directory,
    instead: async call => Object.assign(await call() as object, { mtimeNs: 0n, ctimeNs: 0n })
  })
  const storage = fileStorage({ directory })
  await storage.ready()
  t.match(await warned, [{ code: 'FST_EDITOR_FILE_SYSTEM', message: /does not show when a directory has changed/ }])
  await delay(SETTLED_MS)
  await storage.stat('absent')
  await writeFile(join(directory, 'b.docx'), 'b')
  t.equal((await storage.stat('b'))?.fileType, 'docx')
})

t.test('concurrent look-ups share a listing', async t => {
  const directory = t.testdir({ 'a.docx': 'a' })
  const files = fileLookup(directory)
  let listings = 0
  whileListing(t, directory, { begun: () => { listings++ } })
  await Promise.all(Array.from({ length: 50 }, async () => t.equal(await nameOf(files, 'a'), 'a.docx')))
  t.equal(listings, 1)
})

t.test('a directory that cannot be listed is an error, not a missing document, and the next look-up catches up', async t => {
  const directory = t.testdir({ 'a.zzz': 'a' })
  const files = fileLookup(directory)
  for (const code of ['EMFILE', 'EACCES']) {
    hook(t, { name: 'opendir', isMeant: path => path === directory, instead: async () => { throw Object.assign(new Error(code), { code }) } })
    await t.rejects(files.find('a'), { code })
  }
  t.equal(await nameOf(files, 'a'), 'a.zzz')
})

t.test('a directory that was missing for a while is listed when it is back', async t => {
  const root = t.testdir({ uploads: { 'a.zzz': 'a' } })
  const directory = join(root, 'uploads')
  const files = await settled(directory)
  await rename(directory, join(root, 'elsewhere'))
  await t.rejects(files.find('a'), { code: 'ENOENT' })
  await rename(join(root, 'elsewhere'), directory)
  await rm(join(directory, 'a.zzz'))
  await writeFile(join(directory, 'b.yyy'), '')
  t.strictSame([await nameOf(files, 'a'), await nameOf(files, 'b')], [undefined, 'b.yyy'])
})
