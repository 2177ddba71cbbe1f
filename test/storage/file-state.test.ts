import { fork } from 'node:child_process'
import { once } from 'node:events'
import fs, { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import t from 'tap'
import { fileStorage } from '../../lib/storage/file-storage.js'
import { tempName } from '../../lib/storage/file-system.js'
import { hook, onSmallDisk, runCommand, STATE } from '../kit/storage.js'
import { trace, type TracedCall } from './traced/trace.js'

/** The folder of the only record there is. */
async function folderIn (directory: string): Promise<string> {
  const versions = await readdir(join(directory, STATE), { recursive: true, withFileTypes: true })
  const { parentPath } = versions.find(({ name }) => /^\d{1,15}$/.test(name))!
  return parentPath
}

async function versionsIn (directory: string): Promise<number[]> {
  return (await readdir(await folderIn(directory))).filter(name => name !== 'missing').map(Number).sort((a, b) => a - b)
}

function replaceInModule <Name extends keyof typeof fs> (name: Name, replacement: typeof fs[Name]): void {
  fs[name] = replacement
  syncBuiltinESMExports()
}

const numberOf = (version: string | null) => Number(version?.split(' ').at(-1))

async function tempsIn (directory: string): Promise<string[]> {
  return (await readdir(join(directory, STATE), { recursive: true })).filter(name => name.includes('~'))
}

for (const [where, links] of [['', []], [' on a file system without links', ['without-links']]] as const) {
  t.test(`two processes that count concurrently lose no increment${where}`, async t => {
    const directory = t.testdir()
    const processes = [1, 2].map(() => fork(join(import.meta.dirname, 'incrementing.ts'), [directory, '200', ...links]))
    await Promise.all(processes.map(process => once(process, 'message')))
    for (const process of processes) process.send('go')
    t.strictSame(await Promise.all(processes.map(async process => (await once(process, 'exit'))[0])), [0, 0])
    const found = await fileStorage({ directory }).state.get('a')
    t.match(found, { value: { count: 400 }, version: /(^| )400$/ })
    t.strictSame(await versionsIn(directory), [399, 400], 'no more versions stay than a crash needs')
    t.strictSame(await tempsIn(directory), [])
  })
}

t.test('a version truncated by a crash is skipped, but its number counts', async t => {
  for (const torn of ['', '{"live":[{"key":"', '\0'.repeat(4096), '}']) {
    const directory = t.testdir()
    const { state } = fileStorage({ directory })
    const second = await state.set('a', 'two', await state.set('a', 'one', null))
    await writeFile(join(await folderIn(directory), '3'), torn)
    const found = await state.get('a')
    t.match(found, { value: 'two', version: /(^| )3$/ }, JSON.stringify(torn.slice(0, 20)))
    t.equal(await state.set('a', 'late', second), null)
    const fourth = await state.set('a', 'four', found!.version)
    t.match(fourth, /(^| )4$/)
    t.strictSame(await state.get('a'), { value: 'four', version: fourth })
  }
})

t.test('a record without any readable version is empty and can be set again', async t => {
  const directory = t.testdir()
  const { state } = fileStorage({ directory })
  await state.set('a', 'one', null)
  await writeFile(join(await folderIn(directory), '1'), 'torn')
  t.strictSame(await state.get('a'), { value: null, version: '1' })
  t.match(await state.set('a', 'two', '1'), /(^| )2$/)
})

t.test('versions that a crash may undo are removed too, and the last durable one stays', async t => {
  const directory = t.testdir()
  const { state } = fileStorage({ directory })
  let version = await state.set('a', 'safe', null)
  for (let round = 0; round < 10; round++) version = await state.set('a', round, version, { durable: false })
  t.equal((await versionsIn(directory))[0], 1)
  for (let round = 0; round < 90; round++) version = await state.set('a', round, version, { durable: false })
  t.ok((await versionsIn(directory)).length < 20, 'regardless of their number')
  version = await state.set('a', 'safe again', version)
  t.strictSame(await versionsIn(directory), [numberOf(version) - 1, numberOf(version)])
})

t.test('a crash that loses everything not yet durable keeps what had to be durable', async t => {
  const directory = t.testdir()
  const { state } = fileStorage({ directory })
  let version = await state.set('a', 'first', null)
  version = await state.set('a', 'lost', version, { durable: false })
  const safe = await state.set('a', 'safe', version)
  version = safe
  for (let round = 0; round < 5; round++) version = await state.set('a', 'lost', version, { durable: false })
  for (const number of await versionsIn(directory)) if (number !== numberOf(safe)) await writeFile(join(await folderIn(directory), String(number)), '')
  t.equal((await state.get('a'))?.value, 'safe')
  t.match(await state.set('a', 'next', (await state.get('a'))!.version), /(^| )9$/)
})

t.test('a writer whose version number was used and removed meanwhile fails', async t => {
  const directory = t.testdir()
  const { state } = fileStorage({ directory })
  const first = await state.set('a', 1, null)
  let newest = first
  hook(t, {
    name: 'link',
    isMeant: () => true,
    async instead (call) {
      for (let count = 2; count <= 10; count++) newest = await state.set('a', count, newest)
      return await call()
    }
  })
  t.equal(await state.set('a', 'much too late', first), null)
  t.strictSame(await state.get('a'), { value: 10, version: newest })
  t.strictSame(await versionsIn(directory), [9, 10])
})

t.test('a writer that was first succeeds, however quickly others have built on its version', async t => {
  const directory = t.testdir()
  const { state } = fileStorage({ directory })
  const first = await state.set('a', 1, null)
  hook(t, {
    name: 'link',
    isMeant: () => true,
    async instead (call) {
      await call()
      for (let count = 3; count <= 8; count++) t.ok(await state.set('a', count, (await state.get('a'))!.version))
    }
  })
  t.match(await state.set('a', 2, first), / 2$/)
  t.equal((await state.get('a'))?.value, 8)
})

t.test('record files a killed process left half-written are removed at the next start; those a running process writes are not', {
  skip: process.platform !== 'linux' && 'the start of a process is known on Linux only'
}, async t => {
  const directory = t.testdir()
  const { state } = fileStorage({ directory })
  await state.set('a', 'one', null)
  const temps = join(directory, STATE, 'temp')
  const ours = tempName()
  const dead = () => tempName().replace(/(~\d+)-\d*~/, '$1-1~')
  await writeFile(join(temps, ours), '')
  await writeFile(join(temps, dead()), 'half of')
  await mkdir(join(temps, dead(), 'below'), { recursive: true })
  await fileStorage({ directory }).ready()
  t.strictSame(await readdir(temps), [ours])
  t.equal((await state.get('a'))?.value, 'one')
})

t.test('a full disk (ENOSPC) rejects and keeps the old record', t => onSmallDisk(t, async directory => {
  const { state } = fileStorage({ directory })
  const version = await state.set('a', 'old', null)
  await writeFile(join(directory, 'ballast'), Buffer.alloc(200 * 1024))
  await t.rejects(state.set('a', 'x'.repeat(100_000), version), { code: 'ENOSPC' })
  await t.rejects(state.set('b', 'x'.repeat(100_000), null), { code: 'ENOSPC' })
  await t.rejects(state.set('a', 'x'.repeat(100_000), version, { durable: false }), { code: 'ENOSPC' })
  t.strictSame(await state.get('a'), { value: 'old', version })
  t.equal(await state.get('b'), null)
  t.strictSame(await tempsIn(directory), [])
  await writeFile(join(directory, 'ballast'), '')
  t.match(await state.set('a', 'x'.repeat(100_000), version), /(^| )2$/, 'once there is space again')
}))

t.test('a disk that became read-only (EROFS) rejects and keeps the old record, which can still be read', t => onSmallDisk(t, async directory => {
  const { state } = fileStorage({ directory })
  const version = await state.set('a', 'old', null)
  runCommand(['mount', '-o', 'remount,ro', directory])
  await t.rejects(state.set('a', 'new', version), { code: 'EROFS' })
  await t.rejects(state.set('b', 'new', null), { code: /EROFS|ENOENT/ })
  t.strictSame(await state.get('a'), { value: 'old', version })
}))

t.test('a document without a record costs no call that waits for a thread', async t => {
  const root = t.testdir({ uploads: {} })
  const calls = await trace('state', join(root, 'uploads'), root)
  t.strictSame(calls.filter(({ phase }) => phase === 'begin').map(({ name }) => name), [])
})

t.test('a record that was read before is known without a call that waits for a thread, and every change of it is seen', async t => {
  const directory = t.testdir()
  const [mine, others] = [fileStorage({ directory }), fileStorage({ directory })]
  await Promise.all([mine.ready(), others.ready()])
  let version = await mine.state.set('a', { count: 0 }, null)
  let openings = 0
  const { open } = fs
  t.teardown(() => replaceInModule('open', open))
  replaceInModule('open', (async (...args: Parameters<typeof open>) => {
    openings++
    return await open(...args)
  }) as typeof open)

  for (let count = 1; count <= 3; count++) {
    version = await others.state.set('a', { count }, version)
    openings = 0
    t.strictSame(await mine.state.get('a'), { value: { count }, version }, 'at once')
    t.equal(openings, 1)
    const known = await mine.state.get('a')
    t.strictSame(known, { value: { count }, version }, 'and again')
    Object.assign(known!.value as object, { count: 'changed by whoever got it' })
    t.strictSame(await mine.state.get('a'), { value: { count }, version })
    t.equal(openings, 1)
  }

  await others.remove('a')
  t.equal(await mine.state.get('a'), null)
  version = await others.state.set('a', 'new', null)
  t.strictSame(await mine.state.get('a'), { value: 'new', version })
})

t.test('another record of the document is not taken for the one that was read', async t => {
  const directory = t.testdir()
  const [mine, others] = [fileStorage({ directory }), fileStorage({ directory })]
  const count = async (fileId: string, text: string, to: number) => {
    let version: string | null = null
    for (let number = 1; number <= to; number++) version = await others.state.set(fileId, `${text} ${number}`, version)
    return version
  }
  for (const to of [1, 2, 3]) {
    for (const isRead of [false, true]) {
      const fileId = `a-${to}-${isRead}`
      const old = await count(fileId, 'old', 2)
      t.strictSame(await mine.state.get(fileId), { value: 'old 2', version: old })
      await others.remove(fileId)
      const expected = { version: await count(fileId, 'new', to), value: `new ${to}` }
      if (isRead) t.strictSame(await mine.state.get(fileId), expected)
      t.equal(await mine.state.set(fileId, 'late', old), null, `${to} versions`)
      t.strictSame(await mine.state.get(fileId), expected)
      t.strictSame(await others.state.get(fileId), expected)
    }
  }
})

t.test('a version that another process has made meanwhile is followed by none that it did not see', async t => {
  const directory = t.testdir()
  const [mine, others] = [fileStorage({ directory }), fileStorage({ directory })]
  const first = await mine.state.set('a', 1, null)
  const second = await others.state.set('a', 2, first)
  t.equal(await mine.state.set('a', 'late', first), null)
  let newest = second
  for (let count = 3; count <= 5; count++) newest = await others.state.set('a', count, newest)
  t.equal(await mine.state.set('a', 'much too late', first), null, 'its number is free again')
  t.equal(await mine.state.set('a', 'much too late', null), null)
  t.strictSame(await mine.state.get('a'), { value: 5, version: newest })
  t.strictSame(await versionsIn(directory), [4, 5])
})

t.test('a record, its number and its folders are on the disk when set resolves', async t => {
  const root = t.testdir({ uploads: {} })
  const directory = join(root, 'uploads')
  const prepared = openedIn(await trace('prepare', directory, root))
  for (const path of [directory, join(directory, STATE)]) t.ok(prepared.includes(path), `${path} is flushed at the start`)

  const calls = await trace('set-state', directory, root)
  const folder = await folderIn(directory)
  const folders = [folder, dirname(folder)]
  const opened = openedIn(calls)
  t.strictSame(folders.filter(path => !opened.includes(path)), [])
  t.equal(opened.filter(path => !folders.includes(path)).length, 2, 'the temp file, to be written and to be flushed')
  const begun = calls.flatMap(({ name, phase }) => ['write', 'link', 'fsync'].includes(name) ? [`${phase} ${name}`] : [])
  t.equal(begun.filter(step => step === 'end fsync').length, 1 + folders.length)
  t.ok(begun.indexOf('end write') < begun.indexOf('begin link'), 'the file is complete when it gets its number')
  t.match(JSON.parse(await readFile(join(folder, '1'), 'utf8')), { fileId: 'a', value: 1 })
})

function openedIn (calls: readonly TracedCall[]): string[] {
  return calls.flatMap(({ name, path, phase }) => name === 'open' && phase === 'begin' ? [path] : [])
}

t.test('a record that another process has removed is written anew', async t => {
  const directory = t.testdir()
  const [mine, theirs] = [fileStorage({ directory }), fileStorage({ directory })]
  await mine.state.set('a', 'one', null)
  await theirs.remove('a')
  const first = await mine.state.set('a', 'new', null)
  t.strictSame(await theirs.state.get('a'), { value: 'new', version: first })
})
