import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import fs, { appendFile, cp, lstat, mkdir, readdir, readFile, rename, utimes, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { type FileStorage, fileStorage } from '../../lib/storage/file-storage.js'
import { tempName } from '../../lib/storage/file-system.js'
import type { StoredVersion } from '../../types/storage.js'
import { hook, ioError, VERSIONS } from '../kit/storage.js'
import { holdTimers } from '../kit/time.js'

const BLOB = /^[0-9a-f]{8}-/
/** Names of blobs that a crash has left. */
const LEFT = ['00000000-0000-4000-8000-000000000000', '11111111-1111-4111-8111-111111111111'] as const

/** A document of two kept versions, and instances of its storage. */
async function scene (t: Test) {
  const root = t.testdir({ uploads: { 'a.docx': 'first' } })
  const directory = join(root, 'uploads')
  const storage = fileStorage({ directory })
  const keep = async (instance: FileStorage = storage, changes?: string): Promise<StoredVersion | null> => {
    const { revision } = (await instance.stat('a'))!
    return await instance.versions.keep('a', revision, changes === undefined ? {} : { changes: Buffer.from(changes) })
  }
  await keep(storage, 'changes of the first')
  await storage.replace('a', Buffer.from('second'))
  await keep()
  return { root, directory, path: join(directory, 'a.docx'), storage, other: fileStorage({ directory }), keep, folder: folderOf(directory) }
}

/** Where the versions of document `a` are. */
function folderOf (directory: string): string {
  const name = createHash('sha256').update('a').digest('hex').slice(0, 40)
  return join(directory, VERSIONS, name.slice(0, 2), name)
}

/** Their paths in the folder. */
async function blobsIn (folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).filter(name => BLOB.test(basename(name)))
}

/** Paths of segments, which are texts unlike all contents. */
async function segmentsIn (folder: string): Promise<string[]> {
  const names: string[] = []
  for (const name of await blobsIn(folder)) if ((await readFile(join(folder, name), 'utf8')).startsWith('{"format":')) names.push(name)
  return names
}

/** Contents by number, `null` where one cannot be read. */
async function contentsOf ({ versions }: FileStorage): Promise<Record<number, string | null>> {
  const contents: Record<number, string | null> = {}
  for (const { version } of await versions.list('a')) {
    const found = await versions.read('a', version)
    contents[version] = found && Buffer.concat(await found.body.toArray()).toString()
  }
  return contents
}

/** Every change of the index is the link of a new generation, whose name is a number. */
const isIndexLink = (_from: string, to: unknown) => /\/\d+$/.test(String(to))

/** Until the end of the test, this process can make no links. */
function withoutLinks (t: Test): void {
  const { link } = fs
  t.teardown(() => {
    fs.link = link
    syncBuiltinESMExports()
  })
  fs.link = async () => { throw Object.assign(new Error('EPERM: no links here'), { code: 'EPERM' }) }
  syncBuiltinESMExports()
}

t.test('versions take no space beside the document until it is replaced, and their folder is made by the first that is kept', async t => {
  const directory = t.testdir({ 'a.docx': 'first' })
  const storage = fileStorage({ directory, fileMode: 0o660 })
  t.strictSame(await storage.versions.list('a'), [])
  t.equal(await storage.versions.keep('a', 'another revision', { changes: Buffer.from('changes') }), null)
  t.notOk((await readdir(directory)).includes(VERSIONS))

  const { revision } = (await storage.stat('a'))!
  await storage.versions.keep('a', revision)
  const [blob] = await blobsIn(folderOf(directory))
  const [stored, kept] = await Promise.all([lstat(join(directory, 'a.docx')), lstat(join(folderOf(directory), blob!))])
  t.strictSame([kept.ino, kept.nlink], [stored.ino, 2])
  t.equal((await lstat(folderOf(directory))).mode & 0o777 & process.umask(), 0)
  t.equal((await storage.stat('a'))?.revision, revision)
})

t.test('changes can be read by nobody who may not read the document', async t => {
  const { directory, folder, storage } = await scene(t)
  await fs.chmod(join(directory, 'a.docx'), 0o600)
  const { revision } = (await storage.stat('a'))!
  await storage.versions.keep('a', revision, { changes: Buffer.from('secret') })
  const modes = await Promise.all(
    (await blobsIn(folder)).map(
      async name => [(await lstat(join(folder, name))).size, (await lstat(join(folder, name))).mode & 0o777]
    )
  )
  t.strictSame(modes.find(([size]) => size === 'secret'.length), ['secret'.length, 0o600])
})

t.test('on a file system without links, contents are copied', async t => {
  withoutLinks(t)
  const { folder, path, storage, keep } = await scene(t)
  await keep(storage, 'changes')
  await storage.replace('a', Buffer.from('third'))
  t.strictSame(await contentsOf(storage), { 1: 'first', 2: 'second' })
  t.equal((await blobsIn(folder)).length, 4)
  await appendFile(path, ', changed in place')
  await keep()
  await appendFile(path, ' again')
  t.strictSame(await contentsOf(storage), { 1: 'first', 2: 'second', 3: 'third, changed in place' })
})

t.test('a content that another program changed in place is not shown as the one that was kept, and makes way for the next', async t => {
  const { path, folder, storage, keep } = await scene(t)
  await appendFile(path, ', changed in place')
  t.strictSame(await contentsOf(storage), { 1: 'first', 2: null })
  t.match(await keep(), { version: 3, size: 'second, changed in place'.length })
  t.strictSame(await contentsOf(storage), { 1: 'first', 3: 'second, changed in place' })
  t.equal((await blobsIn(folder)).length, 3)
})

t.test('versions survive a move of the directory with times as exact as the copying program keeps them, and count on', async t => {
  const { root, directory, storage } = await scene(t)
  for (const [name, unit] of [['seconds', 1_000_000_000n], ['milliseconds', 1_000_000n], ['microseconds', 1000n], ['lost', undefined]] as const) {
    const copy = join(root, name)
    await cp(directory, copy, { recursive: true })
    for (const from of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (!from.isFile()) continue
      const path = join(from.parentPath, from.name)
      const { mtimeNs } = await lstat(path, { bigint: true })
      // a double is exact to less than that
      const time = unit === undefined ? 1 : Number(mtimeNs / unit * unit + 500n) / 1e9
      await utimes(path.replace(directory, copy), time, time)
    }
    const moved = fileStorage({ directory: copy })
    t.strictSame(await contentsOf(moved), unit === undefined ? { 1: null, 2: null } : { 1: 'first', 2: 'second' }, name)
    const { revision } = (await moved.stat('a'))!
    t.match(await moved.versions.keep('a', revision), { version: 3 })
  }
  t.strictSame(await contentsOf(storage), { 1: 'first', 2: 'second' })
})

t.test('a document that is replaced, by anything, while it is being kept is not kept', async t => {
  const { root, directory, path, folder, storage, keep } = await scene(t)
  await writeFile(join(root, 'theirs'), 'theirs')
  const changes: ReadonlyArray<() => Promise<unknown>> = [
    async () => await storage.replace('a', Buffer.from('third')),
    async () => await rename(join(root, 'theirs'), path),
    async () => await appendFile(path, ', changed in place'),
    async () => {
      await fs.unlink(path)
      await fs.symlink(join(root, 'uploads'), path)
    },
    async () => {
      await fs.unlink(path)
      await fs.writeFile(join(directory, 'a.docx'), 'anew')
    },
    async () => await fs.unlink(path)
  ]
  for (const makeChange of changes) {
    await writeFile(join(root, 'new'), 'not kept yet')
    await rename(join(root, 'new'), path)
    hook(t, {
      name: 'link',
      isMeant: from => from === path,
      async instead (call) {
        await makeChange()
        return await call()
      }
    })
    const before = await blobsIn(folder)
    t.equal(await keep(storage, 'changes'), null)
    t.strictSame(await blobsIn(folder), before)
  }
})

t.test('a process that was frozen before it could write the index neither loses versions of others nor refers to what they removed', async t => {
  const { folder, storage, other, keep } = await scene(t)
  await storage.replace('a', Buffer.from('third'))
  let kept: StoredVersion | null | undefined
  hook(t, {
    name: 'link',
    isMeant: isIndexLink,
    async instead (call) {
      kept = await keep(other, 'changes of the other')
      await other.versions.remove('a', [2])
      await other.replace('a', Buffer.from('fourth'))
      await keep(other)
      return await call()
    }
  })
  t.equal(await keep(storage, 'changes of the frozen one'), null)
  t.match(kept, { version: 3 })
  t.strictSame(await contentsOf(storage), { 1: 'first', 3: 'third', 4: 'fourth' })
  t.equal((await blobsIn(folder)).length, 5, 'three contents and two changes')
})

t.test('a content that has gone by the time the index refers to it is kept once more', async t => {
  const { folder, storage, keep } = await scene(t)
  await storage.replace('a', Buffer.from('third'))
  hook(t, {
    name: 'link',
    isMeant: isIndexLink,
    async instead (call) {
      const result = await call()
      for (const name of await blobsIn(folder)) if (await readFile(join(folder, name), 'utf8') === 'third') await fs.unlink(join(folder, name))
      return result
    }
  })
  const kept = await keep(storage)
  t.equal((await contentsOf(storage))[kept!.version], 'third')
})

t.test('a document that is removed at any moment of a keep leaves no versions', async t => {
  const { directory, storage, other, keep } = await scene(t)
  for (const isFirst of [false, true]) {
    for (const isBefore of [true, false]) {
      await writeFile(join(directory, 'a.docx'), 'anew')
      if (!isFirst) await keep()
      await appendFile(join(directory, 'a.docx'), ', later')
      hook(t, {
        name: 'link',
        isMeant: isIndexLink,
        async instead (call) {
          if (isBefore) await other.remove('a')
          const result = await call()
          if (!isBefore) await other.remove('a')
          return result
        }
      })
      await keep()
      await writeFile(join(directory, 'a.docx'), 'put back')
      t.strictSame(await storage.versions.list('a'), [])
      await storage.remove('a')
    }
  }
  t.notOk((await readdir(join(directory, VERSIONS), { recursive: true })).some(name => /\/\d+$|~/.test(name) || BLOB.test(name.split('/').at(-1)!)))
})

t.test('what a crash has left in the folder of a document is removed by the next change, and an index that cannot be read gives no number twice', async t => {
  const { folder, storage, keep } = await scene(t)
  for (const name of LEFT) await writeFile(join(folder, 'blobs', '0', name), 'left')
  await writeFile(join(folder, 'something else'), '')
  hook(t, { name: 'link', isMeant: isIndexLink, instead: async () => { throw ioError() } })
  await t.rejects(storage.versions.remove('a', [1]), { code: 'EIO' })
  t.strictSame(await contentsOf(storage), { 1: 'first', 2: 'second' })

  await storage.versions.remove('a', [1])
  t.equal((await blobsIn(folder)).length, 1)
  t.ok((await readdir(folder)).includes('something else'))

  for (const name of await readdir(folder)) if (/^\d+$/.test(name)) await writeFile(join(folder, name), '{')
  t.strictSame(await storage.versions.list('a'), [])
  t.match(await keep(), { version: 4 })
  t.strictSame(await contentsOf(storage), { 4: 'second' })
})

t.test('what crashes have left is also removed beside versions in a segment, and nothing that it names', async t => {
  const { folder, storage, keep } = await scene(t)
  const keepMore = async (count: number) => {
    for (let index = 0; index < count; index++) {
      await storage.replace('a', Buffer.from(`content ${index}`))
      await keep()
    }
  }
  await keepMore(14)
  for (const block of ['0', '1']) await writeFile(join(folder, 'blobs', block, LEFT[0]), 'left')
  await keepMore(2) // then the first 15 are in a segment
  t.notOk((await blobsIn(folder)).some(name => name.endsWith(LEFT[0])))

  // A process that was slow adds to the folder of the segment.
  await writeFile(join(folder, 'blobs', '0', LEFT[1]), 'left')
  await keepMore(16)
  t.notOk((await blobsIn(folder)).some(name => name.endsWith(LEFT[1])), 'with the next segment')
  const contents = await contentsOf(storage)
  t.equal(Object.keys(contents).length, 34)
  t.notOk(Object.values(contents).includes(null))
  t.equal((await blobsIn(folder)).length, 34 + 2, 'contents, the changes of the first, and one segment')

  // A process was killed between the index that supersedes blobs and their removal.
  hook(t, { name: 'unlink', isMeant: path => BLOB.test(basename(path)) && existsSync(path), instead: async () => { throw ioError() } })
  await storage.versions.remove('a', [3])
  t.equal((await blobsIn(folder)).length, 36)
  await storage.versions.remove('a', [4])
  t.equal((await blobsIn(folder)).length, 34)
})

t.test('instances that keep, prune and remove at the same time leave every listed version whole, and nothing else', async t => {
  const { folder, storage, other, directory } = await scene(t)
  const instances = [storage, other, fileStorage({ directory })]
  const contents = new Map<string, string>()
  let serial = 0
  await Promise.all(instances.map(async (instance, index) => {
    for (let round = 0; round < 60; round++) {
      const content = `content ${++serial}`
      const replaced = await instance.replace('a', Buffer.from(content))
      contents.set(replaced!.revision, content)
      await instance.versions.keep('a', replaced!.revision, {
        details: content.repeat(round % 3 * 100),
        session: `session ${Math.floor(serial / 12)}`,
        ...round % 4 === 0 && { changes: Buffer.from(content) }
      })
      if (round % 2 === index % 2) {
        await instance.versions.prune!('a', { keep: 40, maxBytes: Infinity, keptSince: new Date(0) })
      } else if (round % 10 === index) {
        await instance.versions.remove(
          'a',
          (await instance.versions.list('a')).slice(3, 5).map(({ version }) => version)
        )
      }
    }
  }))
  for (let round = 0; round < 32; round++) { // twice as many as move into a segment at once
    await storage.replace('a', Buffer.from('last'))
    const { revision } = (await storage.stat('a'))!
    contents.set(revision, 'last')
    await storage.versions.keep('a', revision)
  }
  const listed = await storage.versions.list('a')
  t.ok(listed.length > 60, String(listed.length))
  let blobs = (await segmentsIn(folder)).length
  for (const { version, revision, changesSize, details } of listed) {
    const content = contents.get(revision) ?? (version === 1 ? 'first' : 'second')
    const found = await other.versions.read('a', version)
    t.equal(found && Buffer.concat(await found.body.toArray()).toString(), content)
    if (changesSize !== null) t.ok(await other.versions.read('a', version, 'changes'))
    blobs += 1 + Number(changesSize !== null) + Number(typeof details === 'string' && details.length > 1022)
  }
  t.equal((await blobsIn(folder)).length, blobs)
})

t.test('a segment that is damaged hides its versions and no others, one of an unknown format is refused; saves go on, and the limits remove nothing else instead', async t => {
  const { folder, storage, keep } = await scene(t)
  const keepMore = async (count: number) => {
    for (let index = 0; index < count; index++) {
      await storage.replace('a', Buffer.from(`content ${index}`))
      await keep()
      await storage.versions.prune!('a', { keep: 20, maxBytes: Infinity, keptSince: new Date(0) })
    }
  }
  await keepMore(16)
  const [segment] = await segmentsIn(folder)
  const text = await readFile(join(folder, segment!), 'utf8')
  for (const damage of ['', text.slice(0, 100)]) {
    await writeFile(join(folder, segment!), damage)
    t.strictSame((await storage.versions.list('a')).map(({ version }) => version), [16, 17, 18])
    t.equal(await storage.versions.read('a', 3), null)
  }
  const unknown = [text.replace('"version":3', '"version":"3"'), text.replace('"format":2', '"format":3'), text.replace('"version":3', '"next":1,"version":3')]
  for (const format of unknown) {
    await writeFile(join(folder, segment!), format)
    await t.rejects(storage.versions.list('a'), { code: 'FST_EDITOR_UNKNOWN_RECORD' })
    await t.rejects(storage.versions.read('a', 3), { code: 'FST_EDITOR_UNKNOWN_RECORD' })
    t.match(await storage.versions.list('a', { newest: 1 }), [{ version: 18 }])
  }
  await keepMore(30)
  t.equal(await readFile(join(folder, segment!), 'utf8'), unknown.at(-1))
  await writeFile(join(folder, segment!), '')
  const left = (await storage.versions.list('a')).map(({ version }) => version)
  t.ok(left.length >= 20 && left[0]! >= 16, String(left))
  t.notOk(Object.values(await contentsOf(storage)).includes(null))
  await writeFile(join(folder, segment!), text)
  t.match(await storage.versions.list('a'), [{ version: 1 }, { version: 2 }])
  t.equal((await contentsOf(storage))[1], 'first', 'nothing that it names was removed')
})

t.test(
  'a document that is missing while an instance starts has its versions when it is back; temp files of ended processes are removed',
  { timeout: 60_000 },
  async t => {
    const { directory, folder, storage } = await scene(t)
    await storage.versions.keep('a', (await storage.stat('a'))!.revision)
    const kept = await storage.versions.list('a')
    const temp = join(directory, VERSIONS, 'temp', tempName().replace(/~\d+-\d*~/, `~${2 ** 22 + 1}-1~`))
    await mkdir(temp)
    const ago = Date.now() / 1000 - 400 * 24 * 3600
    await utimes(folder, ago, ago)
    await fs.rename(join(directory, 'a.docx'), join(directory, '..', 'a.docx'))
    t.strictSame(await storage.versions.list('a'), [], 'there is no such file')
    const { pass } = holdTimers(t, 60_000) // after which a start looks for missing documents
    await fileStorage({ directory }).ready()
    t.notOk((await readdir(join(directory, VERSIONS, 'temp'))).includes(basename(temp)))
    pass()
    while (!existsSync(join(folder, 'missing'))) await new Promise(resolve => setImmediate(resolve))
    await fs.rename(join(directory, '..', 'a.docx'), join(directory, 'a.docx'))
    t.strictSame(await storage.versions.list('a'), kept)
  }
)
