import fs, { writeFileSync } from 'node:fs'
import { rename, rm, utimes, writeFile } from 'node:fs/promises'
import { EventEmitter, once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type FileLookup, fileLookup } from '../../lib/storage/file-lookup.js'
import { hook } from '../kit/storage.js'
import { stoppedTime } from '../kit/time.js'

/** Scans a directory, with pauses that the test ends. */
async function startScanning (t: Test, directory: string) {
  const events = new EventEmitter()
  const pauses: number[] = []
  let resume = () => {}
  const files = fileLookup(directory, async (milliseconds, signal) => {
    pauses.push(milliseconds)
    events.emit('pause')
    await new Promise<void>(resolve => {
      resume = () => {
        signal.removeEventListener('abort', resume)
        resolve()
      }
      signal.addEventListener('abort', resume)
    })
  })
  const over = new AbortController()
  t.teardown(() => over.abort())
  await files.scan(() => {})
  const ended = files.keepScanning(over.signal)
  return {
    files,
    pauses,
    over,
    ended,
    /** Ends the pause. */
    resume: () => resume(),
    /** Ends the pause and resolves when the next has begun. */
    async next () {
      const begun = once(events, 'pause')
      resume()
      await begun
    }
  }
}

async function nameOf (files: FileLookup, fileId: string): Promise<string | undefined> {
  return (await files.find(fileId))[0]?.name
}

t.test('a new extension is found after the next scan, and from then on at once', async t => {
  const directory = t.testdir({ 'a.zzz': 'a' })
  const { files, next } = await startScanning(t, directory)
  t.equal(await nameOf(files, 'a'), 'a.zzz', 'there from the beginning')
  await writeFile(join(directory, 'b.yyy'), 'b')
  await writeFile(join(directory, 'B.DOCX'), 'b')
  t.equal(await nameOf(files, 'b'), undefined)
  await next()
  t.equal(await nameOf(files, 'b'), 'b.yyy')
  t.equal(await nameOf(files, 'B'), 'B.DOCX')
  await writeFile(join(directory, 'c.yyy'), 'c')
  t.equal(await nameOf(files, 'c'), 'c.yyy')
})

t.test('a removed or renamed file is never found under its old name', async t => {
  const directory = t.testdir({ 'a.zzz': 'a', 'b.zzz': 'b' })
  const { files, next } = await startScanning(t, directory)
  await rm(join(directory, 'a.zzz'))
  await rename(join(directory, 'b.zzz'), join(directory, 'c.zzz'))
  for (let round = 0; round < 2; round++) {
    t.strictSame([await nameOf(files, 'a'), await nameOf(files, 'b'), await nameOf(files, 'c')], [undefined, undefined, 'c.zzz'])
    await next()
  }
})

t.test('any number of extensions is found', async t => {
  const names = Array.from({ length: 200 }, (_, index) => `file-${index}.x${index}`)
  const directory = t.testdir(Object.fromEntries(names.map(name => [name, name])))
  const { files, next } = await startScanning(t, directory)
  for (const [index, name] of names.entries()) t.equal(await nameOf(files, `file-${index}`), name)
  await writeFile(join(directory, 'late.yyy'), '')
  await rm(join(directory, 'file-0.x0'))
  await next()
  t.equal(await nameOf(files, 'late'), 'late.yyy')
  t.equal(await nameOf(files, 'file-0'), undefined)
})

t.test('a name created while a scan is past its position is found, also after that scan', async t => {
  for (const others of [0, 200]) {
    const directory = t.testdir({ 'first.txt': '', ...Object.fromEntries(Array.from({ length: others }, (_, index) => [`file-${index}.x${index}`, ''])) })
    const files = fileLookup(directory)
    let isGiven = false
    await files.scan(() => {
      if (isGiven) return
      isGiven = true
      writeFileSync(join(directory, 'late.zzz'), '')
      files.addName('late.zzz')
    })
    t.equal(await nameOf(files, 'late'), 'late.zzz')
  }
})

t.test('after a scan of a directory that does not change, a look-up tries only names that exist', {
  skip: process.platform !== 'linux' && 'only Linux tells local file systems'
}, async t => {
  const names = [
    'a.docx',
    'a.ODT',
    'é.docx',
    'b.c.zzz',
    ...Array.from({ length: 3000 }, (_, index) => `file-${index}.x${index % 100}`)
  ]
  const directory = t.testdir(Object.fromEntries(names.map(name => [name, ''])))
  const { files, next } = await startScanning(t, directory)
  await files.find('absent') // the time of the directory is seen now, and is certain later
  await delay(80)
  await next()
  const tried = countLooks(t)
  const found = async (fileId: string) => {
    const before = tried()
    const all = await files.find(fileId)
    return [all.map(({ name }) => name), tried() - before]
  }
  t.strictSame(await found('a'), [['a.docx', 'a.ODT'], 2])
  t.strictSame(await found('b.c'), [['b.c.zzz'], 1])
  t.strictSame(await found('b'), [[], 0])
  for (let index = 0; index < 3000; index += 17) t.strictSame(await found(`file-${index}`), [[`file-${index}.x${index % 100}`], 1])
  const isSearchedFor = async (fileId: string, expected: readonly string[]) => {
    const [all, looks] = await found(fileId)
    t.strictSame(all, expected)
    t.ok(Number(looks) > 50)
  }
  await isSearchedFor('é', ['é.docx']) // the file system may know the name in another form

  await writeFile(join(directory, 'late.pdf'), '')
  await rm(join(directory, 'b.c.zzz'))
  await isSearchedFor('late', ['late.pdf'])
  await isSearchedFor('b.c', [])
})

t.test('no lookup starts a scan or waits for one', async t => {
  const directory = t.testdir({ 'a.zzz': 'a' })
  const { files, resume } = await startScanning(t, directory)
  let isScanning = false
  const begun = new Promise<void>(resolve => {
    hook(t, {
      name: 'opendir',
      isMeant: path => path === directory,
      async instead () {
        isScanning = true
        resolve()
        return await new Promise(() => {})
      }
    })
  })
  await writeFile(join(directory, 'b.yyy'), '')
  await Promise.all(['b', 'c', 'd'].map(async fileId => t.strictSame(await files.find(fileId), [])))
  t.equal(isScanning, false)
  resume()
  await begun
  t.strictSame(await files.find('b'), [])
  t.equal(await nameOf(files, 'a'), 'a.zzz')
})

t.test('an unchanged directory is not scanned again', async t => {
  const directory = t.testdir({ 'a.zzz': 'a' })
  const { next } = await startScanning(t, directory)
  const scans = countScans(t, directory)
  // Scanned until the modification time is stable: a change within the granularity of file times could go unnoticed.
  for (let before = -1; before < scans();) {
    before = scans()
    await next()
  }
  const until = scans()
  for (let round = 0; round < 5; round++) await next()
  t.equal(scans(), until)
})

t.test('a file added within the same tick of the file system clock is found', async t => {
  const tick = 1_600_000_000
  async function isFoundAfterScan (directory: string): Promise<boolean> {
    await utimes(directory, tick, tick)
    const { files, next } = await startScanning(t, directory)
    await writeFile(join(directory, 'late.zzz'), 'late')
    await utimes(directory, tick, tick) // as if no time had passed
    await next()
    return await nameOf(files, 'late') !== undefined
  }
  const found: boolean[] = []
  // If this process is delayed during a scan, the modification time counts as stable: then another attempt is needed.
  for (let attempt = 0; attempt < 5; attempt++) found.push(await isFoundAfterScan(t.testdir({ 'other.txt': '' })))
  t.ok(found.includes(true))
})

t.test('a file is found although the program that added it has set the time of the directory back', async t => {
  const directory = t.testdir({ 'a.docx': 'a' })
  const time = new Date('2024-01-01')
  await utimes(directory, time, time)
  const { files, next } = await startScanning(t, directory)
  const scans = countScans(t, directory)
  for (let before = -1; before < scans();) { // until its modification time is stable
    before = scans()
    await next()
  }
  t.equal(await nameOf(files, 'b'), undefined)
  await writeFile(join(directory, 'b.docx'), 'b')
  await utimes(directory, time, time)
  t.equal(await nameOf(files, 'b'), 'b.docx')
})

t.test('a failed scan keeps what is known, and the next one catches up', async t => {
  const directory = t.testdir({ 'a.zzz': 'a' })
  const { files, next } = await startScanning(t, directory)
  await writeFile(join(directory, 'b.yyy'), '')
  for (const code of ['EMFILE', 'EACCES']) {
    hook(t, { name: 'opendir', isMeant: path => path === directory, instead: async () => { throw Object.assign(new Error(code), { code }) } })
    await next()
    t.strictSame([await nameOf(files, 'a'), await nameOf(files, 'b')], ['a.zzz', undefined])
  }
  await next()
  t.strictSame([await nameOf(files, 'a'), await nameOf(files, 'b')], ['a.zzz', 'b.yyy'])
})

t.test('a directory that was missing for a while is scanned when it is back', async t => {
  const root = t.testdir({ uploads: { 'a.zzz': 'a' } })
  const directory = join(root, 'uploads')
  const { files, next } = await startScanning(t, directory)
  await rename(directory, join(root, 'elsewhere'))
  await next()
  await rename(join(root, 'elsewhere'), directory)
  await writeFile(join(directory, 'b.yyy'), '')
  await next()
  t.equal(await nameOf(files, 'b'), 'b.yyy')
})

t.test('the longer a scan takes, the longer is the pause after it', async t => {
  const directory = t.testdir({ 'a.zzz': 'a' })
  const advance = stoppedTime(t)
  const { next, pauses } = await startScanning(t, directory)
  t.strictSame(pauses, [1000])
  advance(1000)
  hook(t, {
    name: 'opendir',
    isMeant: path => path === directory,
    async instead (call) {
      advance(900)
      return await call()
    }
  })
  await writeFile(join(directory, 'b.yyy'), '')
  await next()
  t.ok(pauses[1]! >= 45_000)
})

t.test('closing the storage ends a running scan, and no other starts', async t => {
  const directory = t.testdir({ 'a.zzz': 'a' })
  const { over, resume, ended, pauses } = await startScanning(t, directory)
  hook(t, {
    name: 'opendir',
    isMeant: path => path === directory,
    async instead (call) {
      over.abort()
      return await call()
    }
  })
  await writeFile(join(directory, 'b.yyy'), '')
  resume()
  await ended
  t.equal(pauses.length, 1)
})

t.test('closing the storage ends the pause', async t => {
  const directory = t.testdir({ 'a.zzz': 'a' })
  for (const pause of [undefined, async (_milliseconds: number, signal: AbortSignal) => await once(signal, 'abort')]) {
    const over = new AbortController()
    const ended = fileLookup(directory, pause).keepScanning(over.signal)
    over.abort()
    await ended
  }
})

/** Counts from now on which names are tried. */
function countLooks (t: Test): () => number {
  const { lstat, lstatSync } = fs
  let looks = 0
  const counting = (call: unknown) => (...args: unknown[]) => {
    looks++
    return Reflect.apply(call as () => unknown, fs, args)
  }
  fs.lstat = counting(lstat) as typeof lstat
  Object.assign(fs, { lstatSync: counting(lstatSync) })
  syncBuiltinESMExports()
  t.teardown(() => {
    fs.lstat = lstat
    Object.assign(fs, { lstatSync })
    syncBuiltinESMExports()
  })
  return () => looks
}

/** Counts the scans from now on. */
function countScans (t: Test, directory: string): () => number {
  let scans = 0
  const again = () => {
    hook(t, {
      name: 'opendir',
      isMeant: path => path === directory,
      async instead (call) {
        scans++
        again()
        return await call()
      }
    })
  }
  again()
  return () => scans
}
